//go:build wasip1

// Package export_espejote_plugin_admit is what the generated bindings call for the role admit.
package export_espejote_plugin_admit

import (
	"strings"

	wit "espejote.io/sdk/go/internal/bindings/imports/espejote_plugin_admit"
	"espejote.io/sdk/go/internal/component"
	"espejote.io/sdk/go/internal/host"
	"espejote.io/sdk/go/internal/wit/runtime"
	"espejote.io/sdk/go/internal/wit/types"
)

// Admit decides on one request.
func Admit(request string) types.Result[wit.Decision, wit.Failure] {
	request = runtime.Borrow(func() string { return strings.Clone(request) })
	of := new(component.Host)
	defer of.Close()
	decision, failure := component.Registered.Admit(of, request)
	if failure != nil {
		return types.Err[wit.Decision](component.FailureTo(failure))
	}
	return types.Ok[wit.Decision, wit.Failure](wit.Decision{
		Allowed:  decision.Allowed,
		Code:     types.FromPointer(decision.Code),
		Message:  component.Valid(decision.Message),
		Mutation: mutation(decision),
	})
}

func mutation(decision *host.Decision) types.Option[wit.Mutation] {
	switch {
	case decision.Patch != nil:
		return types.Some(wit.MakeMutationPatch(component.Valid(*decision.Patch)))
	case decision.Object != nil:
		return types.Some(wit.MakeMutationObject(component.Valid(*decision.Object)))
	default:
		return types.None[wit.Mutation]()
	}
}
