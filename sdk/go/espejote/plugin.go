package espejote

import (
	"encoding/json"

	"espejote.io/sdk/go/internal/host"
)

// ProvideCall computes an entry of context. The owner is the one whose manifest has the entry; the config is the entry's.
type ProvideCall struct{ Call }

// Problem is one thing that is wrong with a config.
type Problem = host.Problem

// Plugin is what a plugin does, by role. plugin.toml says which roles the component exports; a role that it exports and that
// is nil here fails when it is called.
type Plugin struct {
	// Reconcile is the logic of a ManagedResource. Called once for each trigger key; the clock stands still meanwhile.
	Reconcile func(*ReconcileCall) error
	// Admit is the logic of an Admission or ClusterAdmission. An error refuses the request with code 500.
	Admit func(*AdmitCall) (Decision, error)
	// Provide computes an entry of context: anything that encoding/json can write. With an error the entry is
	// unavailable.
	Provide func(*ProvideCall) (any, error)
	// Schema is the JSON Schema (2020-12) of the config for a role: reconcile, provide, admit. Nil or empty: none.
	//
	// Schema and Validate are called when a manifest is checked, before anything runs. They may use slog, and nothing
	// else of the host.
	Schema func(role string) string
	// Validate says what a schema cannot. The config satisfies the schema. Empty: no problem.
	Validate func(role string, config json.RawMessage) []Problem
}

// registered is what the component exports.
var registered Plugin

// Register makes a plugin what the component exports. To be called once, in an init function of package main: main itself
// never runs.
func Register(plugin Plugin) { registered = plugin }
