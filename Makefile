# aimodel-host: everything a developer does is one of these targets; `make` lists them.

SWIFT ?= swift
PYTHON ?= python3
LISTEN = 127.0.0.1:8080
ADMIN = 127.0.0.1:8081
# The root that `make run` serves: a folder with Public/ and manifests/.
ROOT = .

LIBRARIES := libssl-dev libsqlite3-dev pkg-config
HOST := .build/release/aimodel-host
SWIFT_SOURCES := Sources Tests Package.swift
SHELL_SCRIPTS := $(wildcard .ci/run Tests/*/*.sh Benchmarks/*.sh)
PYTHON_SCRIPTS := $(wildcard Tests/*/*.py Benchmarks/*.py)

CLIENT_TESTS := Tests/RealClients/resume.sh
CONFORMANCE_TESTS := $(addprefix Tests/Conformance/,readme.py large_file.sh two_hosts.sh resets.py signals.py descriptors.py many_connections.py startup.py)
PUBLISHING_TESTS := $(addprefix Tests/Publishing/,findings.py commands.py terminal.py fan_out.py under_way.py full_disk.py kills.py)
DELIVERY_TESTS := $(addprefix Tests/Delivery/,fetch_kills.py fetch_full_disk.py fetch_update.py fetch_sizes.py fetch_ledger.py real_model.py documentation.py)
TELEMETRY_TESTS := $(addprefix Tests/Telemetry/,commands.py metrics.py dashboards.py reports.py ops_page.py transfers.py faults.py kills.py privacy.py accounting.py)
SECURITY_TESTS := $(addprefix Tests/Security/,tls_handshakes.py tls_answers.py tls_files.py)
ALLOCATION_TEST := Benchmarks/allocations.sh
# How long each fuzzer runs, and how many at once.
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?= 1

.DEFAULT_GOAL := help
.PHONY: help deps build run test test-swift test-clients test-conformance test-publishing test-delivery test-telemetry test-security test-allocations test-asan test-tsan fuzz format lint bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

deps: ## Install the libraries that are missing (Debian, Ubuntu); asks nothing, says what it does
	@missing=; \
	if command -v dpkg-query >/dev/null; then \
		for library in $(LIBRARIES); do \
			dpkg-query -W -f '$${Status}' $$library 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$library"; \
		done; \
	fi; \
	if [ -n "$$missing" ]; then \
		as_root=; \
		if [ "$$(id -u)" != 0 ]; then \
			command -v sudo >/dev/null || { echo "error: as root: apt-get install$$missing" >&2; exit 1; }; \
			as_root=sudo; \
		fi; \
		echo "installing$$missing with apt-get"; \
		$$as_root apt-get update -q && \
		$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; \
	fi

build: deps ## Build the server for release: .build/release/aimodel-host
	$(SWIFT) build -c release --product aimodel-host

run: build ## Serve the sample release on 127.0.0.1:8080, administration on 127.0.0.1:8081
	$(HOST) serve --root $(ROOT) --listen $(LISTEN) --admin $(ADMIN)

test: test-swift test-clients test-conformance test-publishing test-delivery test-telemetry test-security test-allocations ## All tests; one whose tools are missing says so and is skipped

# Two runs: the client library's tests wait for the network that they spoil, and all at once they would wait for the
# others' servers as well (and for the 128 inotify instances that a user may have).
test-swift: deps ## The tests in Swift
	@Tests/Support/run_scripts.sh "$(SWIFT) test --skip ModelDeliveryTests" "$(SWIFT) test --filter ModelDeliveryTests"

test-clients: build ## curl, wget and aria2c resume a download whose connection is cut
	@Tests/Support/run_scripts.sh $(CLIENT_TESTS)

test-conformance: build ## Large files, 12,000 connections, resets, start-up, two hosts with one release
	@Tests/Support/run_scripts.sh $(CONFORMANCE_TESTS)

test-publishing: build ## 200 killed publications, a full disk, changes under way, every command's status and output
	@Tests/Support/run_scripts.sh $(PUBLISHING_TESTS)

test-delivery: build ## fetch: 120 kills, a full disk, updates, 5,000 files, a true Core AI program; docs/ios.md compiles
	@Tests/Support/run_scripts.sh $(DELIVERY_TESTS)

test-telemetry: build ## The ledger under load: dashboards, queries and alerts on it, readers of other users, the ops page in a browser
	@Tests/Support/run_scripts.sh $(TELEMETRY_TESTS)

test-security: build ## TLS: handshakes, answers and ends of connections, certificates that change
	@Tests/Support/run_scripts.sh $(SECURITY_TESTS)

test-allocations: build ## No heap allocation in the steady path of a keep-alive request
	@Tests/Support/run_scripts.sh $(ALLOCATION_TEST)

test-asan: deps ## The tests in Swift under AddressSanitizer: memory that is not there, or never given back
	@SWIFT=$(SWIFT) Tests/Support/run_scripts.sh Tests/Sanitizers/address.sh

test-tsan: deps ## The tests in Swift under ThreadSanitizer: what two threads touch without order
	@SWIFT=$(SWIFT) Tests/Support/run_scripts.sh Tests/Sanitizers/planted_races.sh Tests/Sanitizers/thread.sh

fuzz: deps ## Fuzzers of all that strangers send, FUZZ_SECONDS (60) each; an input that breaks a rule is kept
	@SWIFT=$(SWIFT) FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_JOBS=$(FUZZ_JOBS) Tests/Support/run_scripts.sh Tests/Fuzzing/run.sh

format: ## Format the Swift code in place
	$(SWIFT) format -i -p -r $(SWIFT_SOURCES)

lint: ## Check format and style of the Swift code, and that all scripts parse
	$(SWIFT) format lint --strict -p -r $(SWIFT_SOURCES)
	@for script in $(SHELL_SCRIPTS); do bash -n $$script || exit 1; done
	@if command -v $(PYTHON) >/dev/null; then \
		$(PYTHON) -c 'import ast, sys; [ast.parse(open(path, "rb").read(), path) for path in sys.argv[1:]]' $(PYTHON_SCRIPTS); \
	else \
		echo "lint: no $(PYTHON) here: the Python scripts are not checked"; \
	fi

bench: build ## Requests per second of server CPU, beside nginx, and with the ledger beside without (nginx, wrk)
	@Tests/Support/run_scripts.sh Benchmarks/compare_nginx.py Benchmarks/ledger_cost.py

clean: ## Remove what was built
	rm -rf .build
	find Tests Benchmarks -name __pycache__ -type d -exec rm -rf {} +
