# Everything sets itself up: a virtual environment in .venv, the package in it, the models in a
# cache folder (CONSTRAINED_DU_HOME moves it). A second run takes seconds.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# llama-cpp-python is compiled here once, for this CPU: about 4 minutes on two cores.
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell getconf _NPROCESSORS_ONLN)

DEMO_MODELS := smollm2-135m-instruct all-minilm-l6-v2
TEST_MODELS := $(DEMO_MODELS) gemma3-270m

.PHONY: help browser demo test check bench peers train grammars models test-models clean

help: ## These lines.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(BIN)/python:
	@echo "making $(VENV) …"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing the package; the first time llama.cpp is compiled, which takes minutes …"
	$(PIP) install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(VENV)/.installed
	@echo "installing what tests and checks need …"
	$(PIP) install --quiet --editable '.[dev]'
	@touch $@

models: $(VENV)/.installed
	@$(BIN)/constrained-du models pull $(DEMO_MODELS)

test-models: $(VENV)/.installed
	@$(BIN)/constrained-du models pull $(TEST_MODELS)

demo: models ## What becomes of several real utterances.
	@$(BIN)/constrained-du demo

# The playground is tested in Debian's browser; elsewhere give one with CHROMIUM=path.
browser:
	@command -v chromium google-chrome >/dev/null || test -n "$${CHROMIUM:-}" || { \
	  echo "installing chromium for the playground's tests …"; \
	  run=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$run apt-get update -qq && $$run apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

test: $(VENV)/.installed-dev test-models browser ## The tests, the real models included.
	$(BIN)/python -m pytest --quiet

check: $(VENV)/.installed-dev ## Linters and types.
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.installed-dev test-models ## Costs, growth and peers; tables and plots in benchmarks/out.
	@mkdir -p benchmarks/out
	$(BIN)/python -m pytest benchmarks --ignore=benchmarks/out --quiet --benchmark-only -o python_files='bench_*.py' \
	  --benchmark-json=benchmarks/out/convert.json | tee benchmarks/out/convert.txt
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/peers.py

# In a folder of their own: guidance wants another llguidance than the one that is installed.
peers: $(VENV)/.installed-dev ## The libraries that `make bench` compares with, where they can be had.
	$(PIP) install --quiet --only-binary=:all: --upgrade --target benchmarks/out/peers 'guidance>=0.2' 'numba>=0.60' 'outlines>=1.3'

# In an environment of its own, since the torch of PyPI brings gigabytes.
train: ## The adapter of smollm2-135m-instruct, anew; about 50 minutes of two cores.
	@test -d benchmarks/out/training/venv || $(PYTHON) -m venv benchmarks/out/training/venv
	benchmarks/out/training/venv/bin/pip install --quiet --editable '.[training]'
	benchmarks/out/training/venv/bin/python benchmarks/training/train.py --out benchmarks/out/training \
	  --adapter models/adapters/smollm2-135m-instruct.gguf

grammars: $(VENV)/.installed models ## Write grammars/*/grammar.* anew.
	$(BIN)/python grammars/regenerate.py

clean: ## Remove what was made here (models stay in their cache folder).
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks benchmarks/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
