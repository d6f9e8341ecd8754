//go:build wasip1

// Package component is the component's side of package host: it asks the real host through the generated bindings, and
// knows which functions the exports call.
//
// Whatever the host hands in is copied into Go's heap at once; see package runtime for why.
package component

import "espejote.io/sdk/go/internal/host"

// Roles are the functions that the exports call. Package espejote fills them in, as it cannot be imported from here.
type Roles struct {
	Reconcile func(host.Host) *host.Failure
	Admit     func(of host.Host, request string) (*host.Decision, *host.Failure)
	Provide   func(host.Host) (string, *host.Failure)
	Schema    func(of host.Host, role string) string
	Validate  func(of host.Host, role, config string) []host.Problem
}

// Registered is what this component does.
var Registered Roles
