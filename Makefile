# Every target first brings the set-up, and where it needs them the built packages, up to date.
# A checkout stays with the Python of its `.venv` until another one is named.
PYTHON_OF_VENV := $(wildcard $(shell sed -n 's/^executable = //p' .venv/pyvenv.cfg 2>/dev/null))
PYTHON ?= $(or $(PYTHON_OF_VENV),python3)
GOAL ?= bring me the baguette
SEED ?= 0
SCENE ?= scenes/deploy/home.yaml
ARGS ?=
# Tests mostly wait: three processes on two cores end in 19.5 min, two in 24.
WORKERS ?= 3
RERUNS ?= 1
TESTS ?=
MIRROR ?=
REAL_DATA ?=
ENGINES ?= $(if $(TESTS),no,yes)

SOURCES := $(filter-out underlay/%,$(patsubst %/package.xml,%,$(wildcard */package.xml)))
MODULES := $(foreach package,$(SOURCES),$(wildcard $(package)/openral_*/__init__.py))
TYPED := $(patsubst %/__init__.py,%,$(MODULES)) tools/workspace tools/docs_site.py tools/what_you_can_say.py tools/results_page.py deploy_sim.py deploy_robot.py conftest.py examples tools/code_shape.py tools/supply_chain.py
LAB := $(patsubst %/package.xml,%,$(wildcard lab/*/package.xml))
LAB_TYPED := $(foreach package,$(LAB),$(wildcard $(package)/openral_*)) lab/benchmarks lab/conftest.py lab/household_nouns.py lab/examples
IN_BUILT := tools/env
# The wheel of biome is for x86_64 alone; elsewhere the lines below do nothing and say so.
BIOME = $(or $(shell ls $(CURDIR)/.venv/bin/biome 2>/dev/null),: JavaScript is not looked at on this machine -)

empty :=
space := $(empty) $(empty)
SOURCE_PATH := $(subst $(space),:,$(abspath $(SOURCES)))
LAB_PATH := $(subst $(space),:,$(abspath lab $(LAB)))

.DEFAULT_GOAL := help
# A version manager may leave the name of an interpreter that does not start.
ifneq ($(filter-out help clean,$(MAKECMDGOALS)),)
ifneq ($(shell $(PYTHON) -c 'print(1)' 2>/dev/null),1)
$(error $(PYTHON) does not start (a version manager may have left its name): name another, as in make PYTHON=/usr/bin/python3.12)
endif
endif
.PHONY: help setup build robot mcp engines browser training lerobot games lab format lint type real-data test test-all lab-test bench docs sbom audit sim clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## system packages, virtual environment, pinned wheels
	@cd tools && $(PYTHON) -m workspace setup

build: ## set up, then build with colcon what has changed
	@cd tools && $(PYTHON) -m workspace build

robot: ## build, with the interfaces of Nav2, MoveIt and ros2_control that ROS does not provide
	@cd tools && $(PYTHON) -m workspace robot

lab: ## build, with the laboratory: benchmarks, evaluation of decision models, household tasks and games, fleet
	@cd tools && $(PYTHON) -m workspace lab

mcp: ## build, with the MCP server: tools of a running robot for other agents
	@cd tools && $(PYTHON) -m workspace mcp

format: setup ## rewrite the sources in the house format
	.venv/bin/ruff check --fix-only --quiet .
	.venv/bin/ruff format .
	cd openral_console && $(BIOME) format --write .

lint: setup ## rules, format, import arrows, ceilings of size
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	cd openral_console && $(BIOME) ci .
	PYTHONPATH=$(SOURCE_PATH) .venv/bin/lint-imports --no-cache
	PYTHONPATH=$(SOURCE_PATH):$(LAB_PATH) .venv/bin/lint-imports --no-cache --config lab/importlinter.toml
	$(PYTHON) tools/code_shape.py --check

type: setup ## mypy --strict over every package, then over the laboratory, which no other package can import
	.venv/bin/mypy $(TYPED)
	MYPYPATH=$(LAB_PATH) .venv/bin/mypy $(LAB_TYPED)

engines: setup
	@cd tools && $(PYTHON) -m workspace engines

browser: setup
	@cd tools && $(PYTHON) -m workspace browser

training: setup ## PyTorch in an environment of its own, for `openral train`
	@cd tools && $(PYTHON) -m workspace training

lerobot: setup ## lerobot in an environment of its own (8 GB), for `openral export lerobot`
	@cd tools && $(PYTHON) -m workspace lerobot

games: setup ## game engines of `openral bench` in an environment of their own (TextWorldExpress needs a Java runtime)
	@cd tools && $(PYTHON) -m workspace games

test: mcp $(if $(TESTS),,robot) browser $(if $(filter no,$(ENGINES)),,engines) ## the tests, once (TESTS=path narrows, WORKERS=n processes, RERUNS=0 tells every failure, ENGINES=no without PyTorch)
	@exec $(IN_BUILT) python -P -m pytest -n $(WORKERS) -raR $(if $(TESTS),,--strict-skips) --reruns $(RERUNS) --rerun-show-tracebacks $(TESTS)

real-data: build ## fetch public photographs, depth and weights for the tests marked real (29 MB; MIRROR=address, REAL_DATA=folder)
	@exec $(IN_BUILT) python -P -m openral_testing.real_data --folder "$(REAL_DATA)" --mirror "$(MIRROR)"

test-all: mcp robot browser engines ## every test, with the slow ones and those of real data, more cases, and no rerun
	@exec env HYPOTHESIS_PROFILE=thorough $(IN_BUILT) python -P -m pytest -n $(WORKERS) -m "" --strict-skips --require-real --reruns 0 --durations 50

lab-test: robot lab ## the tests of the laboratory (TESTS=path narrows; the other variables of `make test` too)
	@exec $(IN_BUILT) python -P -m pytest -n $(WORKERS) -raR -m "" $(if $(TESTS),,--strict-skips) --reruns $(RERUNS) --rerun-show-tracebacks $(or $(TESTS),lab)

bench: lab ## measure; table on the terminal, JSON in lab/benchmarks/results
	@exec $(IN_BUILT) python -m benchmarks

docs: mcp ## documentation site in build/site, API reference included; its links resolve, code blocks and examples run
	@cd tools && $(PYTHON) -m workspace docs
	@exec $(IN_BUILT) python tools/what_you_can_say.py
	@exec $(IN_BUILT) python tools/results_page.py
	@exec $(PYTHON) tools/docs_site.py
	@exec $(IN_BUILT) python -P -m pytest tests/test_documents.py tests/test_examples.py tests/docs

sbom: setup ## bill of materials (CycloneDX) of everything installed, in build/sbom.cdx.json
	@cd tools && $(PYTHON) -m workspace audit
	@exec $(PYTHON) tools/supply_chain.py sbom

audit: setup ## known vulnerabilities of what is installed, by pip-audit; says so if there is no network
	@cd tools && $(PYTHON) -m workspace audit
	@exec $(PYTHON) tools/supply_chain.py audit

# make names the mission's exit code in its last line and itself ends with 2; `python deploy_sim.py` passes it on.
sim: build ## the whole graph in simulation (GOAL="...", SEED=n, ARGS="--dry-run ...")
	@exec $(PYTHON) deploy_sim.py --scene $(SCENE) --detectors embedded --brain scripted \
	    --goal "$(GOAL)" --seed $(SEED) $(ARGS)

clean: ## remove what was built (the virtual environment stays: rm -r .venv; set-ups of other Pythons: rm -r .pythons)
	rm -rf build install log .mypy_cache .ruff_cache .pytest_cache
