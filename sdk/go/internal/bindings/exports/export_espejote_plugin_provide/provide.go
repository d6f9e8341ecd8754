//go:build wasip1

// Package export_espejote_plugin_provide is what the generated bindings call for the role provide.
package export_espejote_plugin_provide

import (
	wit "espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_types"
	"espejote.io/sdk/go/internal/component"
	"espejote.io/sdk/go/internal/wit/types"
)

// Provide computes the value.
func Provide() types.Result[string, wit.Failure] {
	host := new(component.Host)
	defer host.Close()
	value, failure := component.Registered.Provide(host)
	if failure != nil {
		return types.Err[string](component.FailureTo(failure))
	}
	return types.Ok[string, wit.Failure](component.Valid(value))
}
