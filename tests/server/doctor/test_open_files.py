"""What a limit on open files means."""

import pytest

from stampede.server.doctor.open_files import open_files


@pytest.mark.parametrize(
    ("limit", "grade"), [(None, "ok"), (1_000_000, "ok"), (4096, "ok"), (1024, "mind"), (255, "wrong"), (0, "wrong")]
)
def test_the_limit_is_judged(limit: int | None, grade: str) -> None:
    finding = open_files(limit)
    assert finding.grade == grade
    assert str(limit if limit is not None else "no limit") in finding.text
