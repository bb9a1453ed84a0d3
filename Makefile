# Wall Time. `make read` opens the live book, `make test` tests everything; both start from a
# fresh clone. Written for GNU Make 3.81 and newer, which is what macOS has.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
TESTS ?= tests
# What measures runs in one process, one test at a time, and all else beside it in two others,
# which give way to it; see tests/conftest.py.
SHARED := -n 3 --dist loadscope --no-loadscope-reorder
# Linux has everything, so a skipped test is a failure there, unless it is of a server that is
# not installed; elsewhere, and for those, the gaps are listed.
SKIPS := -rs $(if $(filter Linux,$(shell uname -s)),--no-skips)
PINS := --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links \
	--generate-hashes
PINNED := requirements.txt requirements-dev.txt setup/requirements-uv.txt deploy/requirements-hub.txt
AUDITED := _build/audit/pins.py

# Containers like to forbid bytecode. Each Python of a build or a test, and there are hundreds, would
# compile its libraries anew.
unexport PYTHONDONTWRITEBYTECODE

# $(call need,program,what to do without it)
need = command -v $(1) >/dev/null 2>&1 || { echo "There is no $(1) here: $(2)." >&2; exit 1; }

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help read test test-all fresh lint format book preview wheel record figures classics bundle \
	formulas pdf epub requirements audit clean venv venv-dev

help:
	@echo "make read          install, build and open the live book (PORT=8888 NO_BROWSER=1 ORIGIN=https://… to choose)"
	@echo "make test          install, build and run the tests (TESTS=tests/unit/test_laws.py for some)"
	@echo "make test-all      run the further tests: a hub, proxies, Firefox, all causes (needs a network; for CI)"
	@echo "make fresh         run both commands, read and test, on a bare Debian in a folder (needs root and debootstrap)"
	@echo "make lint          check style, formatting and types"
	@echo "make format        put style and formatting right where a tool can"
	@echo "make book          build the static book into _build/html"
	@echo "make preview       show the book in the browser, and anew whenever a page of it is saved"
	@echo "make pdf           print the whole book into _build/wall-time.pdf (needs Chromium)"
	@echo "make epub          make the whole book as _build/wall-time.epub (needs Chromium)"
	@echo "make wheel         build the book and put it, with the labs, into a wheel in dist"
	@echo "make record        measure every lab of the book anew on this machine, three runs each (LABS=one-core for some)"
	@echo "make figures       draw the scenes, and the recorded figures that have changed (needs Chromium)"
	@echo "make formulas      set the formulas that pages have set for themselves so far (needs Chromium)"
	@echo "make classics      make the sources' experiments again, with Apache, PHP, nginx and ab"
	@echo "make bundle        rebuild the page's script in book/web from its sources, and test those (needs Node)"
	@echo "make requirements  pin the newest versions that pyproject.toml allows"
	@echo "make audit         ask OSV and npm for known vulnerabilities of what is pinned (needs Node)"
	@echo "make clean         remove everything that was built or installed here"
	@echo "PYTHON=python3.12 chooses the Python, 3.11 or newer, that .venv is made with."

venv:
	@$(call need,$(PYTHON),install Python 3.11 or newer or name yours with PYTHON=)
	@$(PYTHON) setup/environment.py

venv-dev:
	@$(call need,$(PYTHON),install Python 3.11 or newer or name yours with PYTHON=)
	@$(PYTHON) setup/environment.py --dev

book: venv
	@$(RUN) setup/book.py

# Of pages: after a change of code or of a recording, start it again.
preview: venv-dev
	@rm -rf _build/preview
	@exec $(VENV)/bin/sphinx-autobuild -c setup book _build/preview -q --port $(or $(PORT),8890) \
		$(if $(NO_BROWSER),,--open-browser) --watch _config.yml --watch _toc.yml \
		--re-ignore 'node_modules|\.ipynb_checkpoints|~$$|\.swp$$'

read: book
	@exec $(RUN) -m labs read

# From the built pages, as a browser prints them.
pdf epub: venv-dev
	@$(RUN) setup/book.py
	@exec $(RUN) setup/$@.py

# Only what is in there is listed in setup.py; what a former build left is not.
wheel: book
	@rm -rf build
	@mkdir -p dist
	@$(RUN) -m pip --disable-pip-version-check --quiet wheel --no-deps --no-build-isolation \
		--wheel-dir dist .
	@echo "The wheel is in dist: pip install it with its extra, [book], and -c constraints.txt for what was tested."

# The book is built by the first test that looks at it, while others measure.
test: venv-dev
	@$(RUN) setup/system.py
	@$(RUN) setup/browser.py > $(VENV)/browser
	@BROWSER_PATH="`cat $(VENV)/browser`" exec $(RUN) -m pytest -q $(SHARED) $(SKIPS) $(TESTS)

# What takes more than everybody has at hand each time. One process has all that measures.
test-all: venv-dev
	@$(RUN) setup/system.py --further
	@$(RUN) setup/browser.py > $(VENV)/browser
	@BROWSER_PATH="`cat $(VENV)/browser`" exec $(RUN) -m pytest -q $(SHARED:3=2) -m extended $(SKIPS) $(TESTS)

# Root on Debian or Ubuntu; STEPS="read some" for less, STEPS="test" for that alone.
fresh:
	@exec setup/fresh.sh $(STEPS)

lint: venv-dev
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-logo --cache-dir .ruff_cache/imports
	@$(RUN) setup/budgets.py

format: venv-dev
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/ruff format .

record: venv
	@$(RUN) -m labs record $(LABS)
	@$(RUN) setup/figures.py

# Beside the recordings and in book/scenes, so that pages show them without a script. In a few seconds.
figures: venv
	@$(RUN) setup/figures.py

# Into book/formulas.json, so that pages need no script for them.
formulas: venv-dev
	@$(RUN) setup/book.py
	@$(RUN) setup/formulas.py

# On a quiet machine; about five minutes. A server that is missing makes its rows say so.
classics: venv
	@$(RUN) -m labs classics
	@$(RUN) setup/figures.py

bundle:
	@$(call need,npm,install Node 20 or newer)
	@cd book/web/src && npm ci --no-audit --no-fund --loglevel=error && npm run build && npm run check

# The second file is held to the first, so that tests run what readers run. The third is for
# `pip -c`, which with hashes would take nothing that has none.
requirements: venv-dev
	@$(RUN) -m pip install --quiet --disable-pip-version-check uv
	@$(VENV)/bin/uv pip compile pyproject.toml --extra book -o requirements.txt $(PINS) --upgrade --quiet
	@$(VENV)/bin/uv pip compile pyproject.toml --extra book --extra dev -c requirements.txt \
		-o requirements-dev.txt $(PINS) --upgrade --quiet
	@sed -n 's/ *\\$$//; /==/p' requirements-dev.txt > constraints.txt
	@$(VENV)/bin/uv pip compile deploy/requirements-hub.in -c constraints.txt \
		-o deploy/requirements-hub.txt $(PINS) --upgrade --quiet
	@echo uv | $(VENV)/bin/uv pip compile - -o setup/requirements-uv.txt $(PINS) --upgrade --quiet

# As uv wants its pins: those of a script.
audit: venv
	@$(call need,npm,install Node 20 or newer)
	@$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r setup/requirements-uv.txt
	@mkdir -p $(dir $(AUDITED))
	@printf '# /// script\n# requires-python = ">=3.11"\n# dependencies = []\n# ///\n' > $(AUDITED)
	@UV_PYTHON=$(RUN) $(VENV)/bin/uv add --quiet --script $(AUDITED) $(addprefix -r ,$(PINNED))
	@UV_PYTHON=$(RUN) $(VENV)/bin/uv audit --preview-features audit-command --script $(AUDITED)
	@cd book/web/src && npm audit --package-lock-only
	@cd tests/browser/firefox && npm audit --package-lock-only

clean:
	rm -rf $(VENV) _build build dist *.egg-info book/web/src/node_modules
	rm -rf .mypy_cache .ruff_cache .pytest_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
