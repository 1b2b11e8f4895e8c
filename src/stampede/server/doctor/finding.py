"""A finding of the doctor."""

from dataclasses import dataclass
from typing import Literal

Grade = Literal["ok", "mind", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and what it means."""

    grade: Grade
    text: str

    @property
    def grave(self) -> bool:
        """Whether no race should be run like this."""
        return self.grade == "wrong"

    @property
    def line(self) -> str:
        """For the operator."""
        return f"{self.grade:5}  {self.text}"
