# Everything needs only Python 3.11 or 3.13 with pip; each environment is made once, in .venv.
#
#   make test                  all tests that need no window; BPY=4.5.15 takes that Blender wheel, PYTHON=python3.13 that Python
#   make test-versions         those that differ by version of Blender alone; BPY=4.5.15
#   make test-all BLENDER=...  every test on every wheel and in a window, before a release
#   make wheel                 the solver as a library: pip installs it from this checkout into an empty environment
#   make demo                  a walk cycle on the human metarig, through the installed package: out/walk.blend
#   make gui-test BLENDER=...  clicks through a real Blender with a window
#   make fuzz                  random scenes against an oracle of its own; SCENES=20000 SEED=1 OPTIONS="--counts --only 7"
#   make faults                faults planted in the product, one at a time, that tests have to catch; OPTIONS="--only plant"
#   make lint                  ruff, and mypy with the types of the oldest Blender and of the latest
#   make count                 the product's lines of code, a room each
#   make docs                  the manual: out/manual/index.html
#   make try-page CHROMIUM=... the page Try it in a headless Chromium, before a release
#   make pictures BLENDER=...  all pictures of the manual anew, from examples/, from the demo and from a Blender with a window
#   make bench                 speed against Blender's own bake
#   make compare BEFORE=... AFTER=.   speed of two checkouts, in turn
#   make build                 out/two_bone_ik.zip
#   make release               out/release: that package by its version, and its SHA-256
#   make notes                 out/notes.md: what the release has changed
#   make repository            out/repository: the package as Blender installs it from an address
#   make site                  out/site: the manual as pages, and the repository beside it
#   make dist                  out/dist: the solver as a library, to be given to others
#   make address WEBSITE=...   where the pages of this project are, written in all files that say it
#   make tag TAG=v0.2.0        fails if that is not the version of blender_manifest.toml
#   make publish TAG=v0.2.0    the release on GitHub, by its own command gh

ifndef PYTHON
PYTHON := $(or $(shell tests/support/find-python 3.11 3.13),$(error PYTHON= the one to take))
endif
PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
BPY ?= $(if $(filter 3.11,$(PYTHON_VERSION)),4.2.23,5.2.3)
BLENDER ?= blender
CHROMIUM ?= chromium
WHEELS_OF_3.11 := 4.2.23 4.5.15 5.0.1
WHEELS_OF_3.13 := 5.1.2 5.2.3
PYTHON_3.11 = $(shell tests/support/find-python 3.11)
PYTHON_3.13 = $(shell tests/support/find-python 3.13)
# The newest where none is named.
NUMPY ?=

PLAIN := .venv/$(PYTHON_VERSION)/numpy$(addprefix -,$(NUMPY))
WHEEL := .venv/$(PYTHON_VERSION)/bpy-$(BPY)
LINT := .venv/$(PYTHON_VERSION)/lint
TYPES := $(addprefix .venv/$(PYTHON_VERSION)/types-,4.2 5.2)
DOCS := .venv/$(PYTHON_VERSION)/docs
DIST := .venv/$(PYTHON_VERSION)/dist
DASK := .venv/$(PYTHON_VERSION)/dask
PACKAGE := out/two_bone_ik.zip

# Where planted faults have to be caught.
FAULT_WHEELS := 3.11/bpy-4.5.15 3.11/bpy-5.0.1 3.13/bpy-5.1.2 3.13/bpy-5.2.3

RELEASE := $(PYTHON) tests/support/release.py
VERSION = $(shell $(RELEASE) version)
TAG ?=
WEBSITE ?=

SCENES ?= 2000
SEED ?= 1

# Processes that share the tests of a folder, and what else pytest is told.
WORKERS ?= auto
TESTS ?=
PYTEST := -m pytest -n $(WORKERS) --dist loadfile $(TESTS)
# Which of the tests in a Blender wheel.
ROOMS ?= tests/with_bpy
# A package that was built before; otherwise the wheel under test builds one.
PACKAGED ?=

.PHONY: test test-plain test-wheel test-with-bpy test-installed test-versions test-all wheel fuzz faults gui-test lint format count docs pictures build demo bench compare clean \
  try-page release notes repository site dist address tag publish

test: test-plain test-wheel

test-plain: $(PLAIN)/ready
	$(PLAIN)/bin/python $(PYTEST) tests/without_bpy

test-wheel: test-with-bpy test-installed

test-with-bpy: $(WHEEL)/ready
	$(WHEEL)/bin/python $(PYTEST) $(ROOMS)

test-installed: export TWO_BONE_IK_PACKAGE = $(PACKAGED)
test-installed: $(WHEEL)/ready $(DASK)/ready
	$(WHEEL)/bin/python $(PYTEST) tests/installed

test-versions:
	$(MAKE) test-wheel TESTS="-m versions"

test-all: lint docs
	for wheel in $(WHEELS_OF_3.11); do $(MAKE) test PYTHON=$(PYTHON_3.11) BPY=$$wheel || exit; done
	for wheel in $(WHEELS_OF_3.13); do $(MAKE) test PYTHON=$(PYTHON_3.13) BPY=$$wheel || exit; done
	$(MAKE) test-plain PYTHON=$(PYTHON_3.11) NUMPY=1.24.4
	$(MAKE) gui-test

wheel:
	$(PYTHON) -m venv --clear --without-pip .venv/$(PYTHON_VERSION)/bare
	$(PYTHON) -m pip --python .venv/$(PYTHON_VERSION)/bare/bin/python install --quiet .
	.venv/$(PYTHON_VERSION)/bare/bin/python -I tests/support/try_solver.py

fuzz: $(WHEEL)/ready
	cd tests && ../$(WHEEL)/bin/python -m fuzz --scenes $(SCENES) --seed $(SEED) $(OPTIONS)

faults:
	for wheel in $(FAULT_WHEELS); do \
	  python=$$(tests/support/find-python $${wheel%/*}) && \
	  $(MAKE) .venv/$$wheel/ready PYTHON=$$python BPY=$${wheel#*bpy-} || exit; \
	done
	$(MAKE) .venv/3.13/numpy/ready PYTHON=$$(tests/support/find-python 3.13)
	cd tests && ../.venv/3.13/numpy/bin/python -m faults $(OPTIONS)

# A scenario has its own time limit, in play.py.
gui-test: $(PLAIN)/ready
	BLENDER="$(BLENDER)" $(PLAIN)/bin/python -m pytest -o faulthandler_timeout=1200 $(TESTS) tests/with_window

lint: $(LINT)/ready $(TYPES:=/ready)
	$(LINT)/bin/ruff check
	$(LINT)/bin/ruff format --check
	$(LINT)/bin/python -m pytest tests/lint

format: $(LINT)/ready
	$(LINT)/bin/ruff check --fix
	$(LINT)/bin/ruff format

count:
	$(PYTHON) tests/support/count_lines.py

docs: $(DOCS)/ready
	$(DOCS)/bin/mkdocs build --strict

try-page: docs $(PLAIN)/ready
	CHROMIUM="$(CHROMIUM)" $(PLAIN)/bin/python -m pytest $(TESTS) tests/with_browser
	cp out/try-light.png docs/images/try.png

pictures: $(PLAIN)/ready demo
	BLENDER="$(BLENDER)" $(PLAIN)/bin/python -m pytest -o faulthandler_timeout=1200 tests/with_window/test_pictures.py
	cp out/pictures/*.png out/walk.png out/walk.gif docs/images
	for example in examples/*.py; do $(PLAIN)/bin/python $$example docs/images/$$(basename $$example .py).png || exit; done
	$(PLAIN)/bin/python examples/listing.py

build: $(WHEEL)/ready
	$(WHEEL)/bin/python tests/support/package.py $(PACKAGE)

release: build
	rm -rf out/release
	mkdir -p out/release
	cp $(PACKAGE) out/release/two_bone_ik-$(VERSION).zip
	cd out/release && sha256sum *.zip >SHA256SUMS

notes:
	mkdir -p out
	$(RELEASE) notes >out/notes.md

# With the newest package only: Blender finds fault with two of one extension.
repository: release
	rm -rf out/repository
	mkdir -p out/repository
	cp out/release/*.zip out/repository
	$(WHEEL)/bin/python tests/support/package.py --list out/repository

site: docs repository
	rm -rf out/site
	cp -r out/manual out/site
	cp -r out/repository out/site/repository

dist: $(DIST)/ready
	rm -rf out/dist
	$(DIST)/bin/python -m build --outdir out/dist
	$(DIST)/bin/twine check --strict out/dist/*

address:
	$(RELEASE) address "$(WEBSITE)"

tag:
	$(RELEASE) tag "$(TAG)"

publish: tag notes
	gh release create "$(TAG)" --verify-tag --title "Two-Bone IK $(VERSION)" --notes-file out/notes.md out/release/* out/dist/*

demo bench: export BLENDER_USER_RESOURCES = $(CURDIR)/out/resources
demo: build
	$(WHEEL)/bin/python tests/support/install.py $(PACKAGE)
	$(WHEEL)/bin/python demo/walk.py

bench: build
	$(WHEEL)/bin/python tests/support/install.py $(PACKAGE)
	$(WHEEL)/bin/python benchmarks/planar.py
	$(WHEEL)/bin/python benchmarks/plant.py
	$(WHEEL)/bin/python benchmarks/run.py
	$(WHEEL)/bin/python benchmarks/reduced.py
	$(WHEEL)/bin/python benchmarks/swivel.py
	$(WHEEL)/bin/python benchmarks/switch.py
	$(WHEEL)/bin/python benchmarks/built.py
	$(WHEEL)/bin/python benchmarks/crowd.py
	$(WHEEL)/bin/python benchmarks/batch.py
	$(WHEEL)/bin/python benchmarks/manifest.py

compare: $(WHEEL)/ready
	$(WHEEL)/bin/python benchmarks/compare.py $(BEFORE) $(AFTER)

clean:
	rm -rf out .venv

$(PLAIN)/ready: packages = numpy$(addprefix ==,$(NUMPY)) -r tests/requirements-plain.txt
$(WHEEL)/ready: packages = bpy==$(BPY) -r tests/requirements-wheel.txt
$(LINT)/ready: packages = -r tests/requirements-lint.txt
$(TYPES:=/ready): packages = numpy==2.4.6 fake-bpy-module-$(subst types-,,$(notdir $(@D)))==20260730
$(DOCS)/ready: packages = -r tests/requirements-docs.txt
$(DIST)/ready: packages = -r tests/requirements-dist.txt
$(DASK)/ready: packages = distributed
.venv/%/ready: $(wildcard tests/requirements*.txt)
	$(PYTHON) -m venv --clear --without-pip $(@D)
	$(PYTHON) -m pip --python $(@D)/bin/python install --quiet $(packages)
	touch $@
