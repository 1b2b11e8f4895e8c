"""Makes the catalogue of proven deals, with their grades, and the lines that prove them.

    python tools/make_catalogue.py search YU1-C     looks for deals, for as long as it takes; may be stopped and
                                                    started again
    python tools/make_catalogue.py pack             writes what has been found as package data

Candidates are numbered, and budgets are in nodes, so that the same catalogue comes out on every machine. A candidate
is graded first (that is quick), and solved only if its grade is still wanted. What has been found is kept in
`build/catalogue/`, one JSON object a line. The vectors' deals come first.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

from stampede.patience.catalogue import VARIANTS
from stampede.patience.codes import OPEN_LENGTH, Code, dealing_order, payload
from stampede.patience.game import Game, replay, start
from stampede.patience.notation import read
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import Grade, blind_wins, compiled, graded, locked, solve
from stampede.patience.solver.grades import GAMES
from stampede.patience.solver.packing import pack
from stampede.patience.variants import CATALOGUE

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "build" / "catalogue"
CODES = ROOT / "src" / "stampede" / "patience" / "catalogue"
LINES = ROOT / "tests" / "patience" / "solver" / "lines"
VECTORS = ROOT / "tests" / "vectors" / "winnable.jsonl"

WANTED = {
    "YU1-C": dict.fromkeys(Grade, 1300),
    # Hardly a relaxed deal is hard: one in 400 is, and one in 2000 is for experts.
    "YU1-R": {Grade.EASY: 2400, Grade.MEDIUM: 2000, Grade.HARD: 500, Grade.EXPERT: 100},
    "YU1-T": dict.fromkeys(Grade, 1300),
    "KL1-D1N": dict.fromkeys(Grade, 350),
    "KL1-D3N": dict.fromkeys(Grade, 350),
}
NODES = {Grade.EASY: 50_000, Grade.MEDIUM: 50_000, Grade.HARD: 100_000, Grade.EXPERT: 200_000}
"""What a candidate of each grade is given. Short budgets favour easy deals, so hard ones get more."""

GLANCE = 20
"""Blind games after which a candidate is dropped if it is plainly easy and easy ones are no longer wanted."""


def main(arguments: list[str]) -> int:
    """See the module."""
    match arguments:
        case ["search", *variants] if set(variants) <= set(VARIANTS):
            for variant in variants or VARIANTS:
                search(variant)
        case ["pack"]:
            for variant in VARIANTS:
                write(variant)
        case _:
            print(__doc__)
            return 2
    return 0


def search(variant: str) -> None:
    """Look for deals of one variant until every grade has enough."""
    if compiled.load() is None:
        print("The compiled solver is not built; this will take days.", file=sys.stderr)
    rules, wanted = CATALOGUE[variant], WANTED[variant]
    FOUND.mkdir(parents=True, exist_ok=True)
    file = FOUND / f"{variant}.jsonl"
    entries = list(_found(variant))
    if not entries:
        entries = list(_vectors(variant))
        file.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "ascii")
    have = Counter(Grade(entry["grade"]) for entry in entries)
    number = max((entry["number"] for entry in entries), default=-1) + 1
    said = time.monotonic()
    with file.open("a", encoding="ascii", buffering=1) as out:
        while any(have[grade] < wanted[grade] for grade in Grade):
            if entry := _tried(rules, number, {grade for grade in Grade if have[grade] < wanted[grade]}):
                have[Grade(entry["grade"])] += 1
                out.write(json.dumps(entry) + "\n")
            if time.monotonic() - said > 10:
                said = time.monotonic()
                print(variant, number, {grade.value: have[grade] for grade in Grade}, flush=True)
            number += 1
    print(variant, "has enough after", number, flush=True)


def write(variant: str) -> None:
    """Write one variant's codes and lines, by grade and then in the order they were found in."""
    entries = sorted(_found(variant), key=lambda entry: list(Grade).index(Grade(entry["grade"])))
    rows = {grade: "".join(entry["payload"] for entry in entries if entry["grade"] == grade) for grade in Grade}
    (CODES / f"{variant}.txt").write_text("".join(f"{grade} {row}\n" for grade, row in rows.items()), "ascii")
    LINES.mkdir(parents=True, exist_ok=True)
    (LINES / f"{variant}.xz").write_bytes(pack(entry["line"] for entry in entries))
    print(variant, {grade.value: len(row) // OPEN_LENGTH for grade, row in rows.items()})


def _tried(rules: Ruleset, number: int, wanted: set[Grade]) -> dict[str, Any] | None:
    """Candidate `number` as an entry, if it is of a wanted grade and proven within the budget."""
    digest = sha256(f"{rules.name}:{number}".encode("ascii")).digest()
    code = Code(rules.game, rules.variant, payload(int.from_bytes(digest[:5], "big") >> 5, OPEN_LENGTH))
    order = dealing_order(code)
    if locked(rules, order):
        return None
    if Grade.EASY not in wanted and blind_wins(rules, order, GLANCE) >= GLANCE * 0.75:
        return None
    wins = blind_wins(rules, order)
    grade = graded(wins)
    if grade not in wanted:
        return None
    answer = solve((rules, order), budget_s=inf, budget_nodes=NODES[grade])
    if answer.answer != "winnable":
        return None
    return _entry(number, code, wins, answer.line)


def _vectors(variant: str) -> Iterator[dict[str, Any]]:
    """The proven deals of the test vectors, once the referee has replayed them."""
    for row in VECTORS.read_text("utf-8").splitlines():
        vector = json.loads(row)
        code = Code(*vector["code"].split("-"))
        if code.ruleset_name == variant:
            rules, order = CATALOGUE[variant], dealing_order(code)
            end = replay(start(rules, order, undo_limit=0), map(read, vector["actions"]))
            if isinstance(end, Game) and end.won:
                yield _entry(-1, code, blind_wins(rules, order), vector["actions"])


def _found(variant: str) -> Iterator[dict[str, Any]]:
    file = FOUND / f"{variant}.jsonl"
    if file.exists():
        yield from map(json.loads, file.read_text("ascii").splitlines())


def _entry(number: int, code: Code, wins: int, line: Any) -> dict[str, Any]:
    return {
        "number": number,
        "payload": code.payload,
        "wins": wins,
        "games": GAMES,
        "grade": graded(wins).value,
        "line": list(line),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
