// A plugin that gives a Gateway one listener for each hostname on HTTPRoutes, in any namespace.
//
// Every route owns its listeners with a field manager of its own, so that many routes share one list without knowing of each
// other: what a route gives up goes, and a hostname on two routes stays until both have given it up. A finalizer on the route
// makes sure that it is given up.
//
// Start reading in reconcile. listeners.go decides and knows nothing of a host.
package main

import (
	_ "embed"
	"encoding/json"
	"strings"
	"time"

	"espejote.io/sdk/go/espejote"
)

//go:embed config.schema.json
var schema string

func init() {
	espejote.Register(espejote.Plugin{
		Reconcile: reconcile,
		Schema:    func(string) string { return schema },
		Validate:  validate,
	})
}

func main() {}

// Config is what a manifest gives this plugin.
type Config struct {
	// Gateway is in the namespace of the ManagedResource.
	Gateway string   `json:"gateway"`
	Class   string   `json:"class"`
	Domains []string `json:"domains"`
}

func reconcile(call *espejote.ReconcileCall) error {
	var config Config
	if err := call.Config(&config); err != nil {
		return err
	}
	if err := classAccepted(call, config.Class); err != nil {
		return err
	}
	if route := call.Event(); route != nil {
		return reconcileRoute(call, config, *route)
	}
	return reconcileAll(call, config)
}

// classAccepted waits for the GatewayClass: without its controller nobody would look at the Gateway.
func classAccepted(call *espejote.ReconcileCall, class string) error {
	classes, err := call.Context("classes")
	if err != nil {
		return err
	}
	index, found := classes.Find("", class)
	if !found {
		call.RequeueAfter(time.Minute)
		return espejote.NotReady("GatewayClass %s does not exist", class)
	}
	conditions, err := espejote.Values[[]Condition](classes, []uint32{index}, "/status/conditions")
	if err != nil {
		return err
	}
	if conditions[0] == nil || !accepted(*conditions[0]) {
		call.RequeueAfter(time.Minute)
		return espejote.NotReady("GatewayClass %s is not accepted by its controller", class)
	}
	return nil
}

// reconcileRoute is for one route, which may be gone.
func reconcileRoute(call *espejote.ReconcileCall, config Config, id espejote.ObjectID) error {
	gateway := gatewayOf(call, config)
	var route Route
	found, err := call.Object(&route)
	if err != nil {
		return err
	}
	if !found {
		// Gone without our finalizer, or by force: only the listeners are left.
		return call.Apply(gateway.without(), asRoute(id.Namespace, id.Name))
	}
	refused := config.refused(route)
	tell(call, refused)
	return emit(call, gateway, config, route)
}

// reconcileAll is for the Gateway itself and all routes.
func reconcileAll(call *espejote.ReconcileCall, config Config) error {
	gateway := gatewayOf(call, config)
	if err := call.Apply(gateway.base(), espejote.Force(true)); err != nil {
		return err
	}
	routes, err := call.Context("routes")
	if err != nil {
		return err
	}
	var refused []string
	for route, err := range espejote.Objects[Route](routes) {
		if err != nil {
			return err
		}
		refused = append(refused, config.refused(route)...)
		if err := emit(call, gateway, config, route); err != nil {
			return err
		}
	}
	call.Log().Info("listeners put together", "routes", routes.Len(), "refused", len(refused))
	tell(call, refused)
	return nil
}

// emit takes a route in, or lets it go. Each half is useless without the other, and their order matters: no listener without the
// finalizer that releases it.
func emit(call *espejote.ReconcileCall, gateway Gateway, config Config, route Route) error {
	hostnames := config.allowed(route)
	steps := []func() error{
		func() error { return call.Apply(route.withFinalizer(), espejote.FieldManagerSuffix(":finalizer")) },
		func() error {
			return call.Apply(gateway.with(hostnames), asRoute(route.Metadata.Namespace, route.Metadata.Name))
		},
	}
	if route.leaving() || len(hostnames) == 0 {
		steps = []func() error{
			func() error {
				return call.Apply(gateway.without(), asRoute(route.Metadata.Namespace, route.Metadata.Name))
			},
			func() error { return call.Apply(route.withoutFinalizer(), espejote.FieldManagerSuffix(":finalizer")) },
		}
	}
	return call.Group(espejote.Abort, func() error {
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// asRoute is the field manager of one route.
func asRoute(namespace, name string) espejote.ApplyOption {
	return espejote.FieldManagerSuffix(":" + suffix(namespace, name))
}

func gatewayOf(call *espejote.ReconcileCall, config Config) Gateway {
	return Gateway{Namespace: call.Owner().ID.Namespace, Name: config.Gateway, Class: config.Class}
}

func tell(call *espejote.ReconcileCall, refused []string) {
	condition := espejote.Condition{
		Type: "HostnamesAllowed", Status: espejote.True, Reason: "AllAllowed",
		Message: "every hostname is in an allowed domain",
	}
	if len(refused) > 0 {
		condition.Status, condition.Reason = espejote.False, "OutsideOfDomains"
		condition.Message = "outside of the allowed domains: " + strings.Join(refused, ", ")
	}
	call.SetCondition(condition)
}

func validate(_ string, text json.RawMessage) []espejote.Problem {
	var config Config
	if err := json.Unmarshal(text, &config); err != nil {
		return []espejote.Problem{{Message: err.Error()}}
	}
	var problems []espejote.Problem
	for i, domain := range config.Domains {
		if strings.HasPrefix(domain, ".") || strings.Contains(domain, "*") {
			problems = append(problems, espejote.Problem{
				Path:    "/domains/" + jsonIndex(i),
				Message: "expected a domain such as example.com, without a leading dot or an asterisk",
			})
		}
	}
	return problems
}
