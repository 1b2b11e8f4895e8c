"""What the doctor looks at."""

from stampede.server.doctor.examination import examine
from stampede.server.settings import Settings


def test_a_log_in_memory_and_one_that_is_none() -> None:
    assert [finding.grade for finding in examine(Settings(log="memory:"))] == ["ok", "mind"]
    assert examine(Settings(log="postgres://ann:sesame@h"))[-1].grave
    assert "sesame" not in examine(Settings(log="postgres://ann:sesame@h"))[-1].text
