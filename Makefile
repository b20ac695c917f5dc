# Everything runs in a virtual environment of its own, .venv; PYTHON chooses the interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

NPM ?= npm

.PHONY: help install check test jitless soak bench serve build node peers clean

help:  ## say what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/'

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

install: $(VENV)/installed  ## create .venv and install the project with its tools

check: install  ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: install  ## the whole test suite
	$(BIN)/python -c 'from server.kernels import load_kernels; load_kernels()'
	PYTHONHASHSEED=0 $(BIN)/pytest -n 2 -m 'not slow'

jitless: install  ## the tests of small inputs with kernels as plain Python
	NUMBA_DISABLE_JIT=1 PYTHONHASHSEED=0 $(BIN)/pytest -n 2 -m 'not slow and not compiled'

soak: install  ## the slow tests
	$(BIN)/pytest -m slow

bench: install  ## the short form of the benchmarks, on the sample
	$(BIN)/whimbrel bench --quick

serve: install  ## build the sample's dataset and serve it on http://127.0.0.1:5000
	$(BIN)/whimbrel serve

build: install  ## wheel and source archive in dist/
	$(BIN)/python -m build

NODE_PACKAGES := osrm-text-instructions@0.15.0 leaflet@1.9.4 leaflet-routing-machine@3.2.12 \
	maplibre-gl@5.24.1 @maplibre/maplibre-gl-directions@0.9.1

node:  ## get the npm packages of OSRM's clients that must understand us, for their tests
	$(NPM) install --silent --no-audit --no-fund --prefix .node $(NODE_PACKAGES)

peers: install  ## compare with others; PEERS_PYTHON names a Python that has them
	WHIMBREL_PEERS_PYTHON=$(PEERS_PYTHON) $(BIN)/pytest tests/peers

clean:  ## remove what was made here
	rm -rf $(VENV) .node dist data/*.whimbrel
