// Package monitoring tries deploy/monitoring with Prometheus' own parser and engine: rules are rules, alerts come when they
// should and only then, and rules and dashboard name no metric or label that docs/guide/metrics.md does not have.
package monitoring
