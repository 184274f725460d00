# The only entry points: what is here is what people and CI run.
#
#   make demo     sets up what is needed, learns a real data set and shows what was learned
#   make test     sets up what is needed and runs every check and every test
#   make check    lint, types and the import contract only
#   make bench    the benchmarks of the compiled loops and of the peers that are installed
#   make clean    removes the virtual environment and all caches

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := .cache/demo
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install

# Kernels are compiled once for a checkout and kept out of the user's own cache.
export UNSCALED_CACHE_DIR ?= $(CURDIR)/.cache/kernels

.PHONY: demo test check bench clean

demo: $(VENV)/.demo
	@mkdir -p $(DEMO)
	@echo '$$ unscaled train examples/shuttle.csv.gz --target Class --interactions 2 --model shuttle.model'
	@$(BIN)/unscaled train examples/shuttle.csv.gz --target Class --interactions 2 --progress --model $(DEMO)/shuttle.model
	@echo
	@echo '$$ unscaled inspect shuttle.model --top 10 --plot shuttle.png'
	@$(BIN)/unscaled inspect $(DEMO)/shuttle.model --top 10 --plot $(DEMO)/shuttle.png
	@echo
	@echo '$$ unscaled predict shuttle.model examples/shuttle.csv.gz --output predictions.csv'
	@$(BIN)/unscaled predict $(DEMO)/shuttle.model examples/shuttle.csv.gz --output $(DEMO)/predictions.csv
	@head -3 $(DEMO)/predictions.csv
	@echo
	@echo "Files are in $(DEMO). What next? README.md, docs/guide.md, $(BIN)/unscaled --help"

test: check
	$(BIN)/pytest -n 2 --dist worksteal

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/loops.py
	$(BIN)/python benchmarks/peers.py

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	@echo "Setting up a virtual environment in $(VENV) (once, about a minute) …"
	@$(PIP) --editable '.[matplotlib]'
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.demo
