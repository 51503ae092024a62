# Two commands set everything up: `make demo` and `make test`. They need Python 3.11 or newer, make and git.
# Virtual environments are made once and again when the requirements change.

PYTHON3 ?= python3
VENV := .venv
DEMO_VENV := .demo/venv
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test check lint
.NOTPARALLEL:

help:
	@echo "make demo    a throwaway rule base, real hook payloads, one injection, one deny"
	@echo "make test    the whole suite, with branch coverage"
	@echo "make check   format, lint, types, import directions, migrations, then the suite"

demo: $(DEMO_VENV)/installed
	$(DEMO_VENV)/bin/python -m nokori_site.demo

test: $(VENV)/installed
	$(BIN)/python -m pytest --cov --numprocesses=auto --dist=loadfile

check: lint test

# A database in memory and a data folder here: checking must not touch the user's own.
lint: export NOKORI_DATABASE_URL := sqlite://:memory:
lint: export NOKORI_DATA_DIR := $(CURDIR)/$(VENV)/data
lint: $(VENV)/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check
	$(BIN)/python manage.py check

$(VENV)/installed: requirements.txt requirements-core.txt requirements-dev.txt
	$(PYTHON3) -m venv $(VENV)
	$(BIN)/python $(PIP) -r requirements-dev.txt
	@touch $@

$(DEMO_VENV)/installed: requirements-core.txt
	$(PYTHON3) -m venv $(DEMO_VENV)
	$(DEMO_VENV)/bin/python $(PIP) -r requirements-core.txt
	@touch $@
