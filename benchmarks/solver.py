"""The solver on fresh random deals: how many are answered within a budget of CPU seconds, and what a proof costs.

python benchmarks/solver.py [--deals 500] [--pure] [--variants YU1-C ...]
"""

import random
import statistics
import time
from typing import Annotated

from cyclopts import App, Parameter

from stampede.patience.codes import OPEN_LENGTH, Code, payload
from stampede.patience.solver import compiled, solve
from stampede.patience.variants import CATALOGUE

BUDGETS = {"YU1-C": 1.0, "YU1-R": 0.3, "YU1-T": 1.0, "KL1-D1N": 2.0, "KL1-D3N": 2.0, "KL1-D1V": 2.0, "KL1-D3V": 2.0}
"""CPU seconds a deal."""

app = App(help=__doc__)


@app.default
def main(
    *,
    deals: int = 500,
    pure: bool = False,
    seed: int = 0,
    variants: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
) -> None:
    """Print one table; each deal is a new one, drawn from the seed."""
    how = "pure Python" if pure or compiled.load() is None else "compiled"
    print(f"{deals} deals each, {how}\n")
    print("| variant | CPU cap s | winnable % | unwinnable % | open % | median ms | mean ms | CPU s for 1000 proven |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in variants or list(BUDGETS):
        rules, chance = CATALOGUE[name], random.Random(f"{seed}:{name}")
        answers, spent = [], []
        for _ in range(deals):
            code = Code(rules.game, rules.variant, payload(chance.randrange(32**OPEN_LENGTH), OPEN_LENGTH))
            began = time.process_time()
            answers.append(solve(code, budget_s=BUDGETS[name], clock=time.process_time, pure=pure).answer)
            spent.append(time.process_time() - began)
        share = {kind: 100 * answers.count(kind) / deals for kind in ("winnable", "unwinnable", "open")}
        won = max(1, answers.count("winnable"))
        print(
            f"| {name} | {BUDGETS[name]} | {share['winnable']:.1f} | {share['unwinnable']:.1f} | {share['open']:.1f} "
            f"| {1000 * statistics.median(spent):.0f} | {1000 * statistics.mean(spent):.0f} "
            f"| {1000 * sum(spent) / won:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    app()
