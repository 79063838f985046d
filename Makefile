# make run    start the dashboard            make test    lint, types and all tests
# make lint   style and types only           make bench   speed, side by side with peers
# make fuzz   50,000 malformed requests, run files and command lines (takes some minutes)
# make faults  every write, read and statement of a store fails once, and 1,000 times damage anywhere in it (an hour)
# make screenshots   the pictures of the README   make image-test   build the image and use it (root, buildah)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test lint compiled format bench fuzz faults screenshots image-test clean

run: $(VENV)/run.done
	@$(BIN)/python -m mapelites compile
	$(BIN)/python app.py $(ARGS)

test: browser
	@$(MAKE) --no-print-directory -j 2 lint compiled
	$(BIN)/python -m pytest --headless -n 2 --dist loadgroup $(ARGS)

lint: $(VENV)/dev.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tools.audit

compiled: $(VENV)/dev.done
	@$(BIN)/python -m mapelites compile

format: $(VENV)/dev.done
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.done
	$(BIN)/python -m benchmarks.speed

fuzz: $(VENV)/dev.done
	$(BIN)/python -m tools.fuzz $(ARGS)

faults: $(VENV)/dev.done
	$(BIN)/python -m tools.store_faults $(ARGS)

screenshots: browser
	$(BIN)/python -m tools.screenshots

image-test: browser
	sh tools/image_test.sh

$(VENV)/run.done: requirements.txt constraints.txt constraints-run.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints-run.txt -r requirements.txt
	touch $@

$(VENV)/dev.done: requirements-dev.txt constraints.txt $(VENV)/run.done
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	touch $@

.PHONY: browser
browser: $(VENV)/dev.done
	sh tests/install_browser.sh

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache
