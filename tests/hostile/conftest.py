"""One real server process for each file of attacks, with the limits it has by default."""

from collections.abc import Iterator

import pytest

from hostile.rough import Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as one:
        yield one
