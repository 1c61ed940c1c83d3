# Two commands on a fresh machine: `make demo` and `make test`. `make install` alone prepares .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-jit test-nojit test-boundscheck check format docs bench install clean

install: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Softdock needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test,docs,dev]"
	@touch $(STAMP)

demo: install
	$(BIN)/softdock run impact-a --out out/demo
	$(BIN)/softdock figures impact --out out/demo

test: install
	$(BIN)/python -m pytest -n 2 --dist loadgroup

test-nojit: install
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m nojit

test-boundscheck: install
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m nojit

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

bench: install
	$(BIN)/softdock bench

clean:
	rm -rf $(VENV) out build dist docs/_build
