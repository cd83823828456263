# The front door. `make` alone lists what there is; whatever takes more than a line lives in tools/.

SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

FUZZ_SECONDS ?= 600
FRESH_TARGET ?= check
SOAK_MINUTES ?= 60
TAG ?= latest
export K8S_VERSION

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

.PHONY: run test check bench bench-quick asan tsan tidy fuzz soak fresh test-cluster test-gitops partners image push format clean

run: ## install what is missing, build, and show it: a cluster with GPUs, pods and a dashboard, until Ctrl-C
	@tools/setup run
	@tools/build run programs
	@tools/demo

test: ## install what is missing and run every test, cheapest first; the last line counts them
	@tools/setup test
	@tools/run-tests

check: ## the fast inner loop: static checks, build, unit and scenario tests
	@tools/setup test
	@tools/run-tests static quick

bench: ## build as shipped and run every benchmark
	@tools/setup bench
	@tools/bench

bench-quick: ## the same benchmarks with short measurements, to see that they run
	@tools/setup bench
	@tools/bench --quick

asan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/setup test
	@tools/run-tests asan-all

tsan: ## all tests under ThreadSanitizer
	@tools/setup test
	@tools/run-tests tsan-all

tidy: ## clang-tidy over every source file, where a warning is an error
	@tools/setup test
	@tools/tidy

fuzz: ## every fuzzer for FUZZ_SECONDS (600) each
	@tools/setup fuzz
	@tools/fuzz $(FUZZ_SECONDS)

fresh: ## prove it on a bare Debian 12: debootstrap, make run, make FRESH_TARGET (check); needs root
	@tools/fresh $(FRESH_TARGET)

soak: ## 1,000 faults on gpu-local, then SOAK_MINUTES (60) of them on a real plane and memory that stays the same
	@tools/setup test
	@tools/build dev gpu-scheduler gs-fault-proxy gs-scheduler-lab
	@tools/run-tests storms
	@tests/crash/run --faults 100 --minutes $(SOAK_MINUTES) --seed 0 -k storm_test

test-cluster: ## the tests that need a real Kubernetes API server; K8S_VERSION=1.33.1: one of that version, and the charts on it
	@tools/setup test
	@tools/run-tests cluster $(if $(K8S_VERSION),charts)

test-gitops: ## what Argo CD reads, and on a real Argo CD, whose first build takes long
	@tools/setup test
	@tools/run-tests gitops argocd

partners: ## every tier with a partner, due or not, or one: make partners P=charts; notes what is green in tests/partners.json
	@tools/setup test
	@tools/run-tests --partners $(P)

image: ## the container image as an OCI archive
	@tools/setup run
	@tools/build release programs
	@tools/image

push: ## the image into a registry: make push REGISTRY=registry.example.com/team [TAG=v1]
	@tools/push "$(REGISTRY)" --tag "$(TAG)"

format: ## rewrite the C++ files in the project's format
	@tools/format

clean: ## remove everything that was built (the compiler cache stays)
	rm -rf build
