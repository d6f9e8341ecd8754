# The commands of this repository. Each is a script in scripts/, so that it can be read and run alone.
# CARGO_TARGET_DIR says where things are built (default: target/).
SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help setup build test format lint crds contract monitoring compat demo demo-up demo-down bench bench-large fresh clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand --tabs=14

setup: ## install what building and testing need and this machine lacks
	@scripts/setup

build: setup ## the operator: $CARGO_TARGET_DIR/release/espejote
	@cargo build --release --locked --workspace --bins

test: ## everything that has to hold before a change goes in; steps="format lint" for some of it
	@scripts/test $(steps)

format: ## write the code as rustfmt and gofmt want it
	@cargo fmt --all
	@gofmt -w tests/controlplane tests/health tests/jsonnet-oracle tests/monitoring tests/yaml-oracle sdk/go examples/*/plugin

lint: ## formatting, clippy and the dependencies' rules
	@scripts/test setup format dependencies lint

crds: build ## write crds/ anew from the Rust types
	@scripts/crds

contract: ## write docs/reference/contract.md anew from wit/
	@scripts/contract-reference

monitoring: ## write deploy/monitoring/prometheus-rule.yaml anew from rules.yaml
	@scripts/monitoring

compat: ## which rows of the compatibility page a test names
	@scripts/compat

demo: ## the operator at work, in a minute, on a real control plane
	@scripts/demo/run

demo-up: ## the same, left running to be tried
	@scripts/demo/up

demo-down: ## end what demo-up left running
	@scripts/demo/down

bench: ## measure the operator against its budgets
	@scripts/bench $(arguments)

bench-large: ## measure it in large clusters: half an hour
	@scripts/bench --large $(arguments)

fresh: ## clone HEAD into an empty folder, with empty caches, and run test and demo there
	@scripts/fresh

clean: ## remove what was built
	@cargo clean
