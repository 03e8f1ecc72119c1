# `make demo` shows what it does, `make studio` opens the page, `make test` checks that it does it. All set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo studio test lint browser page clean

demo: $(VENV)/.installed
	$(BIN)/fewaspect quickstart

studio: $(VENV)/.installed
	$(BIN)/fewaspect studio

test: $(VENV)/.installed-dev lint browser
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist worksteal

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The tests of the page use whatever Chromium there is; without one they are skipped.
browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
		|| (apt-get update -qq && apt-get install -y -qq chromium) >/dev/null 2>&1 \
		|| echo "No Chromium, and none could be installed: the tests of the page will be skipped."

# The page of the studio is committed as built; this builds it anew and needs Node.
page:
	npm --prefix frontend ci
	npm --prefix frontend test
	npm --prefix frontend run build

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 10) else "fewaspect needs Python 3.10 or newer; set PYTHON=...")'
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[studio]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
