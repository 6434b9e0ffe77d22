# Two commands for newcomers: `make demo` and `make test`. Both set everything up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TESTED := requirements/test.txt
PEERS := requirements/bench.txt
ENGINES := requirements/engines.txt

.PHONY: demo test test-engines test-numpy wheel frontend frontend-check verify fuzz sanitize bench format lock docs clean

demo: $(VENV)/.ready
	$(BIN)/assay demo --html demo-report.html

# Where everything is required, so is axe, which judges pages for everyone; it comes with the page's script.
test: $(VENV)/.tested $(if $(ASSAY_REQUIRE_ALL),frontend/node_modules/.ready)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not engines"

# Dask, Ray, PostgreSQL and kills. PostgreSQL's server comes from the system (Debian: postgresql).
test-engines: $(VENV)/.engines
	$(BIN)/python -m pytest -m engines tests

# The parts that rest on compiled loops once more, with numpy in their place.
test-numpy: $(VENV)/.tested
	ASSAY_REQUIRE_ALL= ASSAY_KERNELS=numpy $(BIN)/python -m pytest -n auto --dist worksteal -m "not engines" tests/evidence tests/laws tests/measures tests/oracles tests/streams tests/uncertainty

# A wheel of this platform with compiled loops, and one of pure Python that serves everywhere.
wheel: $(VENV)/.ready
	ASSAY_KERNELS=numpy $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	ASSAY_KERNELS=require $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .

# The report page's script. Needs Node; the built file is committed, so that users and `make test` do not.
frontend: frontend/node_modules/.ready
	cd frontend && npm run --silent types && npm run --silent build

frontend-check: frontend/node_modules/.ready
	cd frontend && npm run --silent check

verify: $(VENV)/.ready $(if $(ONLY),,fuzz sanitize)
	$(BIN)/python -m verification $(if $(ONLY),--only $(ONLY)) $(if $(GROUP),--group "$(GROUP)") $(if $(QUICK),--quick)

# Damaged files of every format, study files and stores, others each time; a file that fails is kept in tests/laws/failed.
# A minute or two; as part of `make verify` more than an hour.
LONG := $(if $(filter verify,$(MAKECMDGOALS)),$(if $(QUICK),,yes))
fuzz: $(VENV)/.tested
	$(BIN)/python -m tests.laws.hostile $(or $(SECONDS),$(if $(LONG),3600,60))
	ASSAY_FUZZ=$(if $(LONG),100,5) $(BIN)/python -m pytest -q tests/laws/test_study_files.py tests/laws/test_stores.py

# The compiled loops with every access and every overflow checked. Needs gcc and its sanitizers.
sanitize: $(VENV)/.tested
	$(BIN)/python -m verification.sanitized

bench: $(VENV)/.peers
	$(BIN)/python -m benchmarks

format: $(VENV)/.tested
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.tested
	$(BIN)/python -m docs.generate

lock: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/python requirements/lock.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

frontend/node_modules/.ready: frontend/package-lock.json
	cd frontend && npm ci --silent --no-audit --no-fund
	touch $@

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit("Assay needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; type: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.ready: $(VENV)/.made requirements/run.txt pyproject.toml hatch_build.py $(wildcard src/assay/evidence/_kernels/*.pyx)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.ready $(TESTED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(TESTED)
	touch $@

$(VENV)/.peers: $(VENV)/.tested $(PEERS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(PEERS)
	touch $@

$(VENV)/.engines: $(VENV)/.tested $(ENGINES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(ENGINES)
	touch $@
