//go:build wasip1

// Package export_espejote_plugin_configuration is what the generated bindings call for the role configuration.
package export_espejote_plugin_configuration

import (
	"strings"

	wit "espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_configuration"
	"espejote.io/sdk/go/internal/component"
	"espejote.io/sdk/go/internal/wit/runtime"
	"espejote.io/sdk/go/internal/wit/types"
)

// Schema is the schema of the config for a role.
func Schema(role string) types.Option[string] {
	role = runtime.Borrow(func() string { return strings.Clone(role) })
	schema := component.Registered.Schema(new(component.Host), role)
	if schema == "" {
		return types.None[string]()
	}
	return types.Some(component.Valid(schema))
}

// Validate says what is wrong with a config.
func Validate(role, config string) []wit.Problem {
	taken := runtime.Borrow(func() [2]string { return [2]string{strings.Clone(role), strings.Clone(config)} })
	problems := component.Registered.Validate(new(component.Host), taken[0], taken[1])
	list := make([]wit.Problem, len(problems))
	for i, problem := range problems {
		list[i] = wit.Problem{Path: component.Valid(problem.Path), Message: component.Valid(problem.Message)}
	}
	return list
}
