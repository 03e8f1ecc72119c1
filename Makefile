# `make demo` shows what it does, `make studio` opens the page, `make test` checks that it does it. All set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo studio test test-again lint wheel-test browser page clean attack coverage reproducible docs pictures numbers compatibility

demo: $(VENV)/.base
	$(BIN)/fewaspect quickstart

studio: $(VENV)/.studio
	$(BIN)/fewaspect studio

test: $(VENV)/.dev
	rm -f build/test-exit
	$(MAKE) --jobs 2 --output-sync=target lint browser wheel-test
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist worksteal --durations 20 || { code=$$?; echo $$code > build/test-exit; exit $$code; }

# The tests that failed in the last `make test`, one after another, if it ran to its end (exit code 1) and they are few.
MOST_AGAIN := 8
test-again:
	test "$$(cat build/test-exit)" = 1
	$(BIN)/python -c 'import json, sys; failed = json.load(open(".pytest_cache/v/cache/lastfailed")); \
		print("once more:", *failed, sep="\n  "); sys.exit(not 0 < len(failed) <= $(MOST_AGAIN))'
	OMP_NUM_THREADS=1 $(BIN)/pytest --last-failed --last-failed-no-failures none

# The wheel alone in an empty environment, without extras: the tests of the detector that need no other library.
wheel-test: $(VENV)/.dev
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --constraint constraints.txt build/wheel/*.whl pytest pytest-socket pytest-timeout hypothesis
	FEWASPECT_BASE_INSTALL=1 build/wheel/venv/bin/python -m pytest --override-ini addopts= -p no:cacheprovider -q --import-mode=importlib --disable-socket --allow-unix-socket \
		tests/cli/test_base_install.py tests/detector tests/inference tests/text

# The wheel on every Python found here, and with the oldest versions allowed; the table is docs/reference/compatibility.md.
PYTHONS ?= python3.10 python3.11 python3.12 python3.13
compatibility: $(VENV)/.dev
	$(BIN)/python benchmarks/release/compatibility.py --record --python $(foreach name,$(PYTHONS),$(shell command -v $(name))) \
		--lowest $(firstword $(foreach name,$(PYTHONS),$(shell command -v $(name))))

# What attacks find goes to docs/results/attacks.jsonl and docs/explanation/hardening.md; a few hours on an idle machine.
# Kills that were recorded are not done again. Atheris is installed where there is a wheel of it.
attack: $(VENV)/.dev
	-$(BIN)/python -m pip install --quiet --constraint constraints.txt atheris
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.fuzz --count 20000 --seconds 120 --record
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.guided --runs 10000 --record
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.machines --record
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.kills --kills 50 --seconds 900 --record
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.studio_kills --kills 50 --seconds 900 --record
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.cluster_kills --kills 50 --seconds 900 --record
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.faults --record
	OMP_NUM_THREADS=1 nice -n 15 $(BIN)/python -m attacks.greedy --record
	$(BIN)/python -m attacks.record
	FEWASPECT_DRAWN=200 OMP_NUM_THREADS=1 nice -n 15 $(BIN)/pytest -m "extended or not extended" tests/studio/api/test_schema.py

# Branches of src that the tests take, those in processes of their own included. Tests that limit files or the disk fail here.
coverage: $(VENV)/.dev
	$(BIN)/coverage erase
	-OMP_NUM_THREADS=1 $(BIN)/coverage run -m pytest --timeout 900 --numprocesses auto --maxprocesses 4 --dist worksteal
	$(BIN)/coverage combine
	$(BIN)/coverage report --skip-covered --sort cover

# Two builds of the wheel, at different times and in different folders, are the same bytes.
reproducible: $(VENV)/.dev
	$(BIN)/python -m attacks.reproducible

# The site, in build/site: offline, and a warning is an error.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "build/site/index.html; to look at it: $(BIN)/python -m http.server --directory build/site"

# The pictures of the docs, of the software as it is; the numbers in prose, as the results files have them.
pictures: $(VENV)/.dev browser
	$(BIN)/python docs/tools/method_figure.py
	$(BIN)/python docs/tools/pictures.py

numbers: $(VENV)/.dev
	$(BIN)/python docs/tools/fill_numbers.py

lint: $(VENV)/.dev
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

PIP_INSTALL = $(BIN)/python -m pip install --quiet --constraint constraints.txt --editable
SOURCES := $(VENV)/.created pyproject.toml constraints.txt

$(VENV)/.base: $(SOURCES)
	$(PIP_INSTALL) .
	touch $@

$(VENV)/.studio: $(SOURCES)
	$(PIP_INSTALL) '.[studio]'
	touch $@ $(VENV)/.base

$(VENV)/.docs: $(SOURCES)
	$(PIP_INSTALL) '.[docs]'
	touch $@ $(VENV)/.studio $(VENV)/.base

$(VENV)/.dev: $(SOURCES)
	$(PIP_INSTALL) '.[dev]'
	touch $@ $(VENV)/.docs $(VENV)/.studio $(VENV)/.base

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
