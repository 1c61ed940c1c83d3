# Two commands on a fresh machine: `make demo` and `make test`. `make install` alone prepares .venv.
# Tools are started with `python -m`: pip writes scripts that do not start in a folder with a double quote in its name.
PYTHON ?= $(firstword $(foreach name,python3 python3.11 python3.12 python3.13 python3.14, \
  $(shell $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))
VENV := .venv
BIN := $(VENV)/bin
SOFTDOCK := $(BIN)/python -m softdock
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
DEMO := out/demo
# With this variable Python stores no bytecode and compiles every module again in each process: a run with a report takes
# 7.8 instead of 3.2 s of CPU time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install kernels wheel test-wheel demo test test-long test-python test-boundscheck fuzz mutants accuracy robustness check format docs pictures bench clean

# Of the 14,000 modules most are never imported (--no-compile). One run with a report stores the bytecode of those that
# commands use, also for environments in which Python stores none, and shows that the installation works.
install: $(STAMP)

$(STAMP): pyproject.toml kernel_builder/requirements.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Softdock needs Python 3.11 or newer: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Preparing $(VENV) with $(PYTHON); the first time takes two or three minutes."
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "$(PYTHON) cannot make virtual environments. On Debian and Ubuntu install python3-venv;" >&2; \
	  echo "or name another Python 3.11 or newer: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PIP) install --no-compile -r kernel_builder/requirements.txt && \
	  linker=$$($(BIN)/python -m kernel_builder.linker) && \
	  { [ -z "$$linker" ] || $(PIP) install --no-compile "$$linker"; } && \
	  $(PIP) install --no-compile --no-build-isolation --editable ".[test,docs,dev,studio]" || { \
	  echo "The packages that Softdock needs could not be installed; the reason is above." >&2; exit 1; }
	@$(SOFTDOCK) run assist-soft-docking --report build/installed.html >/dev/null
	@touch $(STAMP)

# In a source checkout every command also rebuilds kernels whose sources changed.
kernels: install
	$(BIN)/python -m kernel_builder

wheel: install
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

# Install the wheel into an empty environment and use it outside the source tree.
test-wheel: wheel
	$(BIN)/python tests/check_wheel.py "$$(ls -t dist/*.whl | head -1)"

demo: install
	$(SOFTDOCK) run assist-soft-docking --out $(DEMO) --report $(DEMO)/report.html
	$(SOFTDOCK) figures assist --out $(DEMO)
	$(SOFTDOCK) replay $(DEMO) --html $(DEMO)/replay.html --glb $(DEMO)/replay.glb
	@echo
	@echo "Figures: $(DEMO)/assist-capture.png and others in $(DEMO), with the result."
	@echo "Report:  open $(DEMO)/report.html in a browser: timeline, figures and metrics."
	@echo "Replay:  open $(DEMO)/replay.html in a browser (no network needed), or $(DEMO)/replay.glb in Blender."
	@echo "Next: $(BIN)/softdock figures impact --out $(DEMO), or $(BIN)/softdock --help"

# A file is run by one worker, so that its fixtures are made once.
test: install
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not long"

test-long: install
	$(BIN)/python -m pytest -m long

test-python: install
	SOFTDOCK_KERNELS=python $(BIN)/python -m pytest -q -m plain_python

test-boundscheck: install
	SOFTDOCK_KERNELS=boundscheck $(BIN)/python -m pytest -q -m plain_python

# Seeded mutations of all input formats; FUZZ="--count 1000000 --seconds 7200 --formats step,mesh --seed 2" for more.
fuzz: install
	$(BIN)/python -m tests.fuzz $(FUZZ)

# Small faults in the sources, which tests must notice; MUTANTS="--count 100 --seconds 3600 --packages kernels --seed 2" for more.
mutants: install
	$(BIN)/python -m tests.mutants $(MUTANTS)

# Peaks of generated mechanisms against closed forms and fine runs; ACCURACY="--count 300 --families tree" for more.
accuracy: install
	$(BIN)/python -m tests.accuracy $(ACCURACY)

# Try the faults of docs/robustness.md again and write its tables.
robustness: install
	$(BIN)/python -m tests.fuzz.report

check: install
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/python -c 'from importlinter.cli import lint_imports_command as lint; lint()' --no-logo

format: install
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

docs: install
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

pictures: install
	$(SOFTDOCK) figures all --out out/pictures
	cp out/pictures/impact-figure-7.png out/pictures/impact-second-impact.png out/pictures/assist-capture.png out/pictures/assist-motion.png \
	  out/pictures/station-convergence.png out/pictures/station-deflections.png docs/images/
	$(BIN)/python -m docs.replay_picture
	$(BIN)/python -m docs.studio_pictures
	$(BIN)/python -m docs.cookbook_pictures
	$(BIN)/python -m docs.station_sensitivity
	$(BIN)/python -m docs.papers_coverage

bench: install
	$(SOFTDOCK) bench

clean:
	rm -rf $(VENV) out build dist docs/_build
