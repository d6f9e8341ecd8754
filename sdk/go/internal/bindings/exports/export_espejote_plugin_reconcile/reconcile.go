//go:build wasip1

// Package export_espejote_plugin_reconcile is what the generated bindings call for the role reconcile.
package export_espejote_plugin_reconcile

import (
	wit "espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_types"
	"espejote.io/sdk/go/internal/component"
	"espejote.io/sdk/go/internal/wit/types"
)

// Reconcile runs one reconcile.
func Reconcile() types.Result[types.Unit, wit.Failure] {
	host := new(component.Host)
	defer host.Close()
	if failure := component.Registered.Reconcile(host); failure != nil {
		return types.Err[types.Unit](component.FailureTo(failure))
	}
	return types.Ok[types.Unit, wit.Failure](types.Unit{})
}
