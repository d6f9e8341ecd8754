// Package espejote is for writing Espejote plugins in Go.
//
// A plugin is a WebAssembly component that implements one or more roles. Each role is a function in [Plugin]; [Register]
// makes them what the component exports:
//
//	package main
//
//	import "espejote.io/sdk/go/espejote"
//
//	func init() { espejote.Register(espejote.Plugin{Reconcile: reconcile}) }
//
//	func main() {}
//
//	func reconcile(call *espejote.ReconcileCall) error {
//		namespaces, err := call.Context("namespaces")
//		if err != nil {
//			return err
//		}
//		for _, id := range namespaces.IDs(namespaces.All()) {
//			err := call.Apply(map[string]any{
//				"apiVersion": "v1",
//				"kind":       "ConfigMap",
//				"metadata":   map[string]any{"name": "team", "namespace": id.Name},
//			})
//			if err != nil {
//				return err
//			}
//		}
//		return nil
//	}
//
// What a role may ask and say are the methods of its call. All that can be read is of one instant: nothing changes during a
// call. Nothing that is emitted is written unless the function returns nil.
//
// Numbers: [encoding/json.RawMessage] and [encoding/json.Number] keep them as they are written; where this package decodes
// into an any, numbers are json.Number. Into float64 they lose digits beyond 2^53.
//
// Errors: [NotReady] and its sisters say what the host does next. Any other error is [Internal], and so is a panic: the call
// fails, and the stack is in the operator's log.
//
// The package compiles for the machine at hand too. Package espejotetest calls a role there with a state of the cluster in
// memory, and returns what it emitted.
package espejote
