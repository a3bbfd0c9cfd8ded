# Run `make help` for the list. Each target that needs it sets up .venv first, once.

PYTHON ?= python3#  the interpreter that makes .venv, 3.11 or newer
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/pip install -c constraints.txt
INSTALLED := $(VENV)/.installed
INSTALLED_BENCH := $(VENV)/.installed-bench
INSTALLED_DOCS := $(VENV)/.installed-docs

GAME ?= coyote#  coyote, swiss, courtyard or variegated_canfield
AGENT ?=#  random, rules, pretrained, or the path of a run; without, the README's table is made anew
DEALS ?= 0:1000#  first deal and the one after the last
WORKERS ?= 2#  processes that run tests
MINUTES ?= 10#  of fuzzing
# STEPS, SEED: of training; without them the game's own settings hold. SEED: of fuzzing too, else drawn.
# ARGS: further arguments for the command that a target runs.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help .venv train evaluate bench docs fuzz package test check lint format-check types spelling format clean distclean

help: ## This list
	@awk -F ':.*## ' '/^[a-z.-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: PYTHON GAME STEPS SEED AGENT DEALS JSON MINUTES WORKERS ARGS"
	@echo "Examples:  make train GAME=swiss STEPS=2000000 SEED=1"
	@echo "           make evaluate GAME=coyote AGENT=runs/coyote-seed0 DEALS=0:1000"
	@echo "           make test ARGS='-k swiss -x'"

train: $(INSTALLED) ## Train MaskablePPO on GAME, evaluate it, leave all in runs/
	$(BIN)/python -m experiments.train --game $(GAME) \
	    $(if $(STEPS),--steps $(STEPS)) $(if $(SEED),--seed $(SEED)) $(ARGS)

evaluate: $(INSTALLED) ## The README's table anew, or the win rate of AGENT on DEALS of GAME (JSON=FILE keeps it)
	$(if $(AGENT),$(BIN)/python -m experiments.evaluate --game $(GAME) --agent $(AGENT) --deals $(DEALS) \
	    $(if $(JSON),--json $(JSON)),$(BIN)/python -m experiments.tabulate) $(ARGS)

bench: $(INSTALLED_BENCH) ## Speed beside other environments (installs the bench extra)
	$(BIN)/python -m experiments.benchmark $(ARGS)

docs: $(INSTALLED_DOCS) ## The documentation site, in build/site (installs the docs extra)
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/mkdocs build --strict

fuzz: $(INSTALLED) ## Random rules, calls and positions for MINUTES
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(ARGS)

package: $(INSTALLED) ## Wheel and sdist in dist/, the wheel tried in an empty environment of PYTHON
	rm -rf dist build/empty
	$(BIN)/python -m hatchling build -d dist
	$(PYTHON) -m venv build/empty
	build/empty/bin/pip install -q -c constraints.txt dist/*.whl
	cd build && empty/bin/python -I ../tests/smoke.py

# Workers that each use all cores wait for each other: beside another program the tests took twice as long.
test: export OMP_NUM_THREADS = 1
test: check ## All checks, then the tests
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

check: lint format-check types spelling ## Lint, format, types, spelling; changes nothing

lint: $(INSTALLED) ## Lint alone
	$(BIN)/ruff check .

format-check: $(INSTALLED) ## Format alone, changes nothing
	$(BIN)/ruff format --check .

types: $(INSTALLED) ## Types alone
	$(BIN)/mypy

spelling: $(INSTALLED) ## Spelling alone
	$(BIN)/codespell

format: $(INSTALLED) ## Format the code and mend what ruff can mend
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean: ## Remove caches and builds; .venv and runs/ stay
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove .venv too
	rm -rf $(VENV)

.venv: $(INSTALLED) ## Set up .venv alone

# The build backend is installed first, so that it comes from constraints.txt as well.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) must be Python 3.11 or newer, with venv (on Debian: python3-venv);" \
	        "make PYTHON=/path/to/python takes another one." >&2; exit 1; }
	@echo "Setting up $(VENV): once, and for some minutes"
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) hatchling editables
	$(PIP_INSTALL) --no-build-isolation -e '.[render,train,test,dev]'
	@touch $@

$(INSTALLED_DOCS): $(INSTALLED)
	$(PIP_INSTALL) --no-build-isolation -e '.[docs]'
	@touch $@

$(INSTALLED_BENCH): $(INSTALLED)
	$(PIP_INSTALL) --no-build-isolation -e '.[bench]'
	@touch $@
