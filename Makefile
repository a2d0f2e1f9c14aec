# make run | test | fuzz | check | fix | bench | site | audit | clean        (`make` alone explains them)
#
# Needs Python 3.11 or newer and a Rust toolchain.  Everything else is installed into .venv, in the versions of
# constraints.txt.  PYTHON=/path/to/python chooses the interpreter, PYTEST_ARGS adds to pytest's arguments.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup run test test-deps fuzz experiments published docs check fix bench site site-test audit clean pins FORCE

PYTHON ?=
PYTEST_ARGS ?=

# Where stderr is a log, lines say how far the work is.
PROGRESS := $(shell test -t 2 && echo auto || echo lines)

PY := .venv/bin/python
HERE := $(shell pwd -P)
PLACE := .venv/.place
INSTALLED := .venv/.installed

RUST := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)

# What the caller's environment may say about other installs must not move this one.  Where packages come from
# (index, proxy, certificates) is left as it is.
unexport PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_ROOT PIP_CONSTRAINT PIP_BUILD_CONSTRAINT PIP_REQUIREMENT
unexport PIP_REQUIRE_HASHES PIP_NO_DEPS PIP_NO_BINARY PIP_ONLY_BINARY PIP_NO_BUILD_ISOLATION PIP_IGNORE_INSTALLED
unexport PIP_FORCE_REINSTALL PIP_UPGRADE PIP_PRE PIP_DRY_RUN PIP_CONFIG_SETTINGS PIP_PYTHON PIP_REPORT
unexport CARGO_BUILD_TARGET MATURIN_PEP517_ARGS
# Hundreds of processes of the tests would each compile all that they import.
unexport PYTHONDONTWRITEBYTECODE
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYO3_PYTHON := $(HERE)/$(PY)

help:
	@echo 'make run     set up, then the first experiment: a table and a chart in under a minute'
	@echo 'make test    set up, then all tests, Python and Rust'
	@echo 'make test-deps  the Python tests with the pinned, the newest and the oldest dependencies (network)'
	@echo 'make fuzz    the properties among them on new random examples: tell of what fails'
	@echo 'make experiments  set up, then every experiment at quick size, with a page of all claims'
	@echo 'make published    every experiment at the size of the papers, into results/published (hours)'
	@echo 'make docs    the site of all pages, with notebooks and reference, into build/site'
	@echo 'make check   formatting, lints, types and layers; changes no file'
	@echo 'make fix     what of that can be repaired by itself'
	@echo 'make bench   the benchmarks (minutes)'
	@echo 'make site    the lesson for browsers, into build/site; make site-test tests it in Chromium'
	@echo 'make audit   the pinned versions against known vulnerabilities (network)'
	@echo 'make clean   remove .venv and everything built; results/ stays'
	@echo 'make pins    choose the newest versions again and write constraints.txt'

setup: $(INSTALLED)

run: setup
	@echo 'experiment: throughput of one plane, of four equal ones, of four different ones, and of one four times as fast'
	$(PY) -m pnet_lp sweep experiments/ideal-planes --progress $(PROGRESS)
	@echo 'done: `make experiments` runs all of them; `. .venv/bin/activate` gives you the command pnet-lp'

# The same examples of every property in every run, so that what passes here passes elsewhere.  Who is done takes tests from
# those that are not.
test: setup
	@echo 'step 1 of 2: the Python tests, on all cores'
	$(PY) -m pytest -n auto --dist worksteal $(PYTEST_ARGS)
	@echo 'step 2 of 2: the tests of the Rust core'
	PROPTEST_RNG_SEED=1 cargo test --profile quick --locked --package pnet-core

# An environment each.  The extension is that of the checkout, built once.  The oldest versions are the lower bounds of
# pyproject.toml; they are not built for Pythons newer than themselves.
DEPS ?= pinned newest oldest

test-deps: setup
	rm -rf build/deps
	mkdir -p build/deps
	PATH="$(HERE)/.venv/bin:$$PATH" $(PY) -c \
	  'import sys; sys.path.insert(0, "tools"); import backend; backend.build_editable("build/deps")' >/dev/null
	cp constraints.txt build/deps/pinned.txt
	: >build/deps/newest.txt
	$(PY) tools/oldest.py >build/deps/oldest.txt
	@failed=; for deps in $(DEPS); do \
	  echo "tests with $$deps dependencies"; \
	  $(PY) -m venv build/deps/$$deps \
	  && build/deps/$$deps/bin/python -m pip install --quiet --constraint build/deps/$$deps.txt \
	    "$$(echo "$(HERE)"/build/deps/*.whl)[all,dev]" \
	  && build/deps/$$deps/bin/python -m pytest -n auto --dist worksteal $(PYTEST_ARGS) \
	  || failed="$$failed $$deps"; \
	done; \
	test -z "$$failed" || { echo "make: failed with dependencies:$$failed" >&2; exit 1; }

fuzz: setup
	$(PY) -m pytest -n auto --dist worksteal -m hypothesis --hypothesis-profile=fuzz $(PYTEST_ARGS)
	cargo test --profile quick --locked --package pnet-core

# Of what a run before has computed with the same code nothing is computed again.  Exit code 3 is bounds that have not met.
experiments: setup
	$(PY) -m pnet_lp sweep --all --size quick --jobs 2 --progress $(PROGRESS) || test $$? = 3
	$(PY) -m pnet_lp report --all --size quick --to build/report --progress $(PROGRESS)

published: setup
	$(PY) -m pnet_lp sweep --all --jobs 2 --progress $(PROGRESS) || test $$? = 3
	$(PY) -m pnet_lp report --all --to results/published --progress $(PROGRESS)

# Into build/site, where other parts of the site may lie already.  Notebooks are executed; a link to nothing is an error.
docs: setup
	@$(PY) -m pip install --quiet --constraint constraints.txt 'pnet-lp[docs]'
	$(PY) -m pnet_lp report --all --results results/published --to build/published
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet --config-file tools/mkdocs.yml --site-dir ../build/docs
	mkdir -p build/site
	cp -R build/docs/. build/site/

check: setup
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || { \
	  echo 'make: cargo fmt or cargo clippy is missing: rustup component add rustfmt clippy' >&2; exit 1; }
	@failed=; try() { echo "$$*"; "$$@" || failed="$$failed; $$*"; }; \
	try $(PY) -m ruff check .; \
	try $(PY) -m ruff format --check .; \
	try $(PY) -m mypy; \
	try $(PY) -m mypy.stubtest pnet_lp._core --ignore-missing-stub; \
	try $(PY) -c 'import sys; from importlinter.cli import lint_imports as lint; sys.exit(lint(no_logo=True))'; \
	try cargo fmt --all --check; \
	try cargo clippy --workspace --all-targets --locked -- -D warnings; \
	test -z "$$failed" || { echo "make: failed$$failed" >&2; exit 1; }

fix: setup
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	cargo fmt --all

bench: setup
	$(PY) benchmarks/ideal.py
	$(PY) benchmarks/sparse.py
	$(PY) benchmarks/symmetric.py
	$(PY) benchmarks/verifying.py
	$(PY) benchmarks/restricted.py
	$(PY) benchmarks/objectives.py
	$(PY) benchmarks/memory.py
	$(PY) benchmarks/growth.py
	$(PY) benchmarks/paths.py
	$(PY) benchmarks/packets.py
	$(PY) benchmarks/fast_forward.py
	$(PY) benchmarks/fluid.py
	$(PY) benchmarks/ns3.py
	$(PY) benchmarks/startup.py

# The page as a browser loads it.  No program but cargo turns the core into WebAssembly: the command is a crate, too.
WASM := target/wasm32-unknown-unknown/site/pnet_wasm.wasm
LESSON := build/site/lesson

site: setup
	@test -d "$$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" || rustup target add wasm32-unknown-unknown || { \
	  echo 'make: Rust cannot build for browsers: rustup target add wasm32-unknown-unknown' >&2; exit 1; }
	cargo build --quiet --locked --profile site --package pnet-wasm --target wasm32-unknown-unknown
	rm -rf $(LESSON)
	mkdir -p $(LESSON)
	cargo run --quiet --locked --package pnet-bindgen -- $(WASM) $(LESSON)/wasm
	$(PY) site/presets.py $(LESSON)/networks.json
	cp site/lesson/*.html site/lesson/*.css site/lesson/*.js $(LESSON)
	@echo 'the lesson: $(PY) -m http.server --directory build/site, then localhost:8000/lesson/ in a browser'

# Needs Chromium (Debian: apt-get install chromium); the driver is installed, browsers are not downloaded.
site-test: site
	@$(PY) -m pip install --quiet --constraint constraints.txt playwright
	$(PY) -m pytest -n 0 -o pythonpath=site/tests site/tests $(PYTEST_ARGS)

# Not part of `make test`: what it asks is not pinned, and may be out of reach.
audit: setup
	@command -v cargo-audit >/dev/null 2>&1 || { \
	  echo 'make: cargo-audit is missing: cargo install --locked cargo-audit' >&2; exit 1; }
	rm -rf build/audit
	$(PY) -m venv build/audit
	build/audit/bin/python -m pip install --quiet pip-audit
	build/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt
	cargo audit

clean:
	rm -rf .venv target dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f pnet_lp/_core*.so pnet_lp/_core*.pyd
	find pnet_lp tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------- set-up

# An environment made elsewhere holds that place's path in its scripts, so a moved checkout gets a new one.
ifneq "$(shell cat $(PLACE) 2>/dev/null)" "$(HERE)"
$(PLACE): FORCE
endif
ifeq "$(wildcard pnet_lp/_core*)" "pnet_lp/_core.pyi"
$(INSTALLED): FORCE
endif

$(PLACE):
	@set -e; \
	usable() { "$$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (4,))' 2>/dev/null; }; \
	pinned() { "$$1" -c 'import sys; sys.exit(sys.version_info >= (3, 15))' 2>/dev/null; }; \
	whole() { "$$1" -c 'import ensurepip, venv' 2>/dev/null; }; \
	if test "$$(cat $(PLACE) 2>/dev/null || pwd -P)" = "$$(pwd -P)" \
	   && usable $(PY) && $(PY) -c 'import pip' 2>/dev/null; then pwd -P >$(PLACE); exit 0; fi; \
	rm -rf .venv; \
	found=; partial=; \
	if test -n '$(PYTHON)'; then \
	  usable '$(PYTHON)' || { echo 'make: PYTHON=$(PYTHON) is not a Python 3.11 or newer' >&2; exit 1; }; \
	  found='$(PYTHON)'; \
	else \
	  for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    usable "$$name" && pinned "$$name" || continue; \
	    if whole "$$name"; then found="$$name"; break; else partial="$$name"; fi; \
	  done; \
	fi; \
	if test -z "$$found" && test -n "$$partial"; then \
	  echo "make: $$partial cannot create environments; install its venv module (Debian: apt-get install python3-venv)" >&2; exit 1; \
	elif test -z "$$found"; then \
	  echo 'make: no Python 3.11 to 3.14 on PATH; install one, or name one: make PYTHON=/path/to/python' >&2; exit 1; \
	fi; \
	echo "set-up: creating .venv with $$("$$found" --version)"; \
	"$$found" -m venv .venv; \
	pwd -P >$(PLACE)

$(INSTALLED): $(PLACE) pyproject.toml constraints.txt $(RUST)
	@command -v cargo >/dev/null 2>&1 || { \
	  echo 'make: no cargo on PATH; install a Rust toolchain (1.89 or newer), for example with rustup' >&2; exit 1; }
	@echo 'set-up: installing the pinned versions and building the extension (release); about a minute'
	@$(PY) -m pip install --quiet --constraint constraints.txt maturin
	@PATH="$(HERE)/.venv/bin:$$PATH" $(PY) -m pip install --quiet --constraint constraints.txt \
	  --no-build-isolation --editable '.[all,dev]'
	@cargo fetch --quiet
	@touch $@

# A fresh environment without constraints: whatever is newest, then written down.
pins: $(PLACE)
	@$(PY) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	  echo 'make: pins are chosen on the oldest supported Python: make clean, then make pins PYTHON=python3.11' >&2; exit 1; }
	rm -rf build/pins
	$(PY) -m venv build/pins
	build/pins/bin/python -m pip install --quiet maturin
	PATH="$(HERE)/build/pins/bin:$$PATH" build/pins/bin/python -m pip install --quiet --no-build-isolation '.[all,dev,docs,site]'
	@build/pins/bin/python -m pip install --quiet packaging
	@build/pins/bin/python -c 'import sys; from importlib.metadata import distributions; \
	from packaging.specifiers import SpecifierSet as S; \
	late = [d.name for d in distributions() if "3.11.0" not in S(d.metadata.get("Requires-Python") or "")]; \
	sys.exit("make: pins are also for Python 3.11.0; name older versions, below those chosen, of " + ", ".join(late) if late else 0)'
	{ sed -n '/^#/p' constraints.txt; build/pins/bin/python -m pip freeze --exclude pnet-lp; } >build/constraints.txt
	mv build/constraints.txt constraints.txt

FORCE:
