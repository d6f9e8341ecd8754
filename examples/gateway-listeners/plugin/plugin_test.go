package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"espejote.io/sdk/go/espejote"
	"espejote.io/sdk/go/espejotetest"
)

func route(namespace, name string, hostnames ...string) map[string]any {
	object := espejotetest.Object(gatewayAPI, "HTTPRoute", namespace, name)
	object["spec"] = map[string]any{"hostnames": hostnames}
	return object
}

func cluster(routes ...any) espejotetest.Cluster {
	class := espejotetest.Object(gatewayAPI, "GatewayClass", "", "cilium")
	class["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Accepted", "status": "True"}}}
	return espejotetest.Cluster{
		Owner:    espejote.Owner{ID: espejotetest.Named("espejote.io/v1alpha1", "ManagedResource", "ingress", "listeners")},
		Config:   Config{Gateway: "shared", Class: "cilium", Domains: []string{"example.com"}},
		Contexts: map[string][]any{"classes": {class}, "routes": routes},
	}
}

// listeners are the hostnames in the Gateway that an item applies.
func listeners(t *testing.T, item espejotetest.Item) []string {
	t.Helper()
	var gateway struct {
		Kind string
		Spec struct{ Listeners []struct{ Hostname string } }
	}
	if err := json.Unmarshal(item.Apply, &gateway); err != nil || gateway.Kind != "Gateway" {
		t.Fatalf("not a Gateway: %s", item.Apply)
	}
	var hostnames []string
	for _, listener := range gateway.Spec.Listeners {
		hostnames = append(hostnames, listener.Hostname)
	}
	return hostnames
}

func TestEveryHostnameOfARouteGetsAListenerOfTheRoutesOwn(t *testing.T) {
	result := cluster(route("shop", "web", "www.example.com", "example.com")).Reconcile(reconcile)
	if result.Failure != nil || len(result.Items) != 2 {
		t.Fatalf("failure %v, items %v", result.Failure, result.Items)
	}
	group := result.Items[1].Group
	if group == nil || *group.Policy != espejote.Abort || len(group.Items) != 2 {
		t.Fatalf("the route is no group that ends at an error: %v", result.Items[1])
	}
	if got := strings.Join(listeners(t, group.Items[1]), " "); got != "example.com www.example.com" {
		t.Errorf("listeners %q", got)
	}
	if suffix := group.Items[1].Options.FieldManagerSuffix; suffix == nil || !strings.HasPrefix(*suffix, ":web-") {
		t.Errorf("the listeners have no field manager of their own: %v", suffix)
	}
}

func TestARouteThatIsBeingDeletedReleasesItsListenersFirst(t *testing.T) {
	leaving := route("shop", "web", "www.example.com")
	leaving["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	result := cluster(leaving).Reconcile(reconcile)
	items := result.Items[1].Group.Items
	if got := listeners(t, items[0]); len(got) != 0 {
		t.Errorf("listeners are kept: %v", got)
	}
	if strings.Contains(string(items[1].Apply), finalizer) {
		t.Errorf("the finalizer is kept: %s", items[1].Apply)
	}
}

func TestARouteThatIsGoneReleasesItsListeners(t *testing.T) {
	gone := cluster()
	id := espejotetest.Named(gatewayAPI, "HTTPRoute", "shop", "web")
	gone.Trigger, gone.Event = "routes", &id
	result := gone.Reconcile(reconcile)
	if len(result.Items) != 1 || len(listeners(t, result.Items[0])) != 0 {
		t.Errorf("items %v", result.Items)
	}
}

func TestHostnamesOutsideOfTheDomainsAreToldAndGetNoListener(t *testing.T) {
	result := cluster(route("lab", "odd", "www.example.org")).Reconcile(reconcile)
	condition := result.Condition("HostnamesAllowed")
	if condition == nil || condition.Status != espejote.False || !strings.Contains(condition.Message, "www.example.org (lab/odd)") {
		t.Errorf("condition %v", condition)
	}
	if got := listeners(t, result.Items[1].Group.Items[0]); len(got) != 0 {
		t.Errorf("listeners %v", got)
	}
}

func TestWithoutItsClassItIsNotReadyAndLooksAgain(t *testing.T) {
	without := cluster()
	without.Contexts["classes"] = nil
	result := without.Reconcile(reconcile)
	if result.Failure == nil || result.Failure.Kind != espejote.KindNotReady {
		t.Errorf("failure %v", result.Failure)
	}
	if result.RequeueAfter != time.Minute {
		t.Errorf("requeue after %v", result.RequeueAfter)
	}
}

func TestNamesThatLookAlikeStayApart(t *testing.T) {
	if listenerName("a-b.example.com") == listenerName("a.b.example.com") {
		t.Error("two hostnames share a listener")
	}
}

func TestADomainHasNoAsterisk(t *testing.T) {
	problems := validate("reconcile", json.RawMessage(`{"domains": ["example.com", "*.example.org"]}`))
	if len(problems) != 1 || problems[0].Path != "/domains/1" {
		t.Errorf("problems %v", problems)
	}
}
