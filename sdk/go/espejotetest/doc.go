// Package espejotetest calls the roles of a plugin on the machine at hand, without WebAssembly and without a cluster.
//
//	func TestEveryNamespaceGetsItsTeam(t *testing.T) {
//		result := espejotetest.Cluster{
//			Contexts: map[string][]any{"namespaces": {
//				espejotetest.Object("v1", "Namespace", "", "shop"),
//			}},
//		}.Reconcile(reconcile)
//		if result.Failure != nil {
//			t.Fatal(result.Failure)
//		}
//		if got := result.Applied("ConfigMap", "shop", "team"); got == nil {
//			t.Errorf("there is no ConfigMap: %v", result.Items)
//		}
//	}
//
// The host here is one in memory. It knows selectors and pointers as the real one does, but no limits on memory or time, and
// it does not check what is emitted: espejote plugin test runs the component on the real engine.
package espejotetest
