# Everything a newcomer needs: `make race` shows the main job, `make test` checks everything. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
MATPLOTLIB := matplotlib==3.11.2
ATHERIS := atheris==3.0.0
# Seconds for each fuzzer.
FUZZ_S ?= 30

.DEFAULT_GOAL := help
.PHONY: help install race test check format bench fuzz clean

help:
	@echo "make race     a server, three bots, one deal: see a race to its end (under a minute)"
	@echo "make test     set up and check everything"
	@echo "make install  set up $(VENV) alone"
	@echo "make bench    measure, and print the tables"
	@echo "make fuzz     a short run of the fuzzers"
	@echo "make format   let ruff format the code"

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Stampede needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	-$(BIN)/python -m stampede.patience.solver.compiled.build
	touch $@

race: install
	$(BIN)/stampede race

test: check
	$(BIN)/python -m pytest

check: install
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(MATPLOTLIB)
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/load.py --quick
	$(BIN)/python benchmarks/nodes.py --quick
	$(BIN)/python benchmarks/growth.py --quick
	$(BIN)/python benchmarks/wake.py --quick
	$(BIN)/python benchmarks/append.py
	$(BIN)/python benchmarks/solver.py --deals 20
	$(BIN)/python benchmarks/bots.py --deals 5 --variants YU1-C

fuzz: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(ATHERIS)
	$(BIN)/python fuzz/codec.py -max_total_time=$(FUZZ_S) -verbosity=0
	$(BIN)/python fuzz/commands.py -max_total_time=$(FUZZ_S) -verbosity=0

format: install
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
