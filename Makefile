# Two commands do everything on a fresh machine with Python 3.11+: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-real venv lint bench validate-theory mutants clean

demo: venv
	$(BIN)/limplock demo

# In virtual time: the same result every time, on all cores, in minutes. test-real needs the machine to itself.
test: venv
	$(BIN)/python -m pytest -n auto --dist worksteal

test-real: venv
	$(BIN)/python -m pytest -m "real or long" -rs

venv: $(VENV)/.installed

# The stamp is newer than pyproject.toml only if the whole installation went through.
$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else "limplock needs Python 3.11 or newer, $(PYTHON) is %d.%d. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" % v[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@echo "installing (torch is large; this takes minutes the first time)"
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

lint: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: venv
	$(BIN)/python -m bench

# Our queues against closed forms and published figures, at full scale; writes the table.
validate-theory: venv
	$(BIN)/python -m tests.theory --write docs/fidelity.md

# Which small mistakes no test would notice; writes docs/mutants.md. Hours for all, so name a part of it:
# make mutants FILES=harness/judging/pairs MINUTES=20. What was killed is remembered.
mutants: venv
	$(BIN)/python -m pip install --quiet --editable '.[mutants]'
	$(BIN)/python -m tests.mutants $(FILES) $(if $(MINUTES),--minutes $(MINUTES))

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis limplock-results
