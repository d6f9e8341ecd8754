package main

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

const (
	gatewayAPI = "gateway.networking.k8s.io/v1"
	finalizer  = "example.com/gateway-listeners"
)

// Condition is a condition in the status of an object.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

func accepted(conditions []Condition) bool {
	return slices.Contains(conditions, Condition{Type: "Accepted", Status: "True"})
}

// Route is what matters of an HTTPRoute.
type Route struct {
	Metadata struct {
		Namespace         string `json:"namespace"`
		Name              string `json:"name"`
		DeletionTimestamp string `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Hostnames []string `json:"hostnames"`
	} `json:"spec"`
}

func (r Route) leaving() bool { return r.Metadata.DeletionTimestamp != "" }

func (r Route) withoutFinalizer() map[string]any {
	return map[string]any{
		"apiVersion": gatewayAPI,
		"kind":       "HTTPRoute",
		"metadata":   map[string]any{"name": r.Metadata.Name, "namespace": r.Metadata.Namespace},
	}
}

func (r Route) withFinalizer() map[string]any {
	object := r.withoutFinalizer()
	object["metadata"].(map[string]any)["finalizers"] = []string{finalizer}
	return object
}

// allowed are the hostnames that get a listener, in order, each once.
func (c Config) allowed(route Route) []string {
	allowed := slices.DeleteFunc(slices.Clone(route.Spec.Hostnames), func(hostname string) bool { return !c.allows(hostname) })
	slices.Sort(allowed)
	return slices.Compact(allowed)
}

// refused are the others, with their route, for people.
func (c Config) refused(route Route) []string {
	var refused []string
	for _, hostname := range route.Spec.Hostnames {
		if !c.allows(hostname) && !route.leaving() {
			refused = append(refused, fmt.Sprintf("%s (%s/%s)", hostname, route.Metadata.Namespace, route.Metadata.Name))
		}
	}
	return refused
}

func (c Config) allows(hostname string) bool {
	return len(c.Domains) == 0 || slices.ContainsFunc(c.Domains, func(domain string) bool {
		return hostname == domain || strings.HasSuffix(hostname, "."+domain)
	})
}

// Gateway names the one that all routes share.
type Gateway struct{ Namespace, Name, Class string }

// without is the Gateway with nothing in it: whoever applies this gives up what it had.
func (g Gateway) without() map[string]any {
	return map[string]any{
		"apiVersion": gatewayAPI,
		"kind":       "Gateway",
		"metadata":   map[string]any{"name": g.Name, "namespace": g.Namespace},
	}
}

// base is what no route owns: the class, and a listener, since a Gateway needs at least one.
func (g Gateway) base() map[string]any {
	object := g.without()
	object["spec"] = map[string]any{
		"gatewayClassName": g.Class,
		"listeners":        []any{listener("any-hostname", "")},
	}
	return object
}

// with is the part of one route.
func (g Gateway) with(hostnames []string) map[string]any {
	listeners := make([]any, len(hostnames))
	for i, hostname := range hostnames {
		listeners[i] = listener(listenerName(hostname), hostname)
	}
	object := g.without()
	object["spec"] = map[string]any{"listeners": listeners}
	return object
}

func listener(name, hostname string) map[string]any {
	listener := map[string]any{
		"name":          name,
		"port":          80,
		"protocol":      "HTTP",
		"allowedRoutes": map[string]any{"namespaces": map[string]any{"from": "All"}},
	}
	if hostname != "" {
		listener["hostname"] = hostname
	}
	return listener
}

// listenerName is a name that a listener may have. a-b.example.com and a.b.example.com would look alike, hence the hash.
func listenerName(hostname string) string {
	readable := strings.NewReplacer("*", "any", ".", "-").Replace(hostname)
	return fmt.Sprintf("%.40s-%s", readable, hashed(hostname))
}

// suffix names a route within the 128 bytes that a field manager may have.
func suffix(namespace, name string) string {
	return fmt.Sprintf("%.40s-%s", name, hashed(namespace+"/"+name))
}

func hashed(text string) string {
	hash := fnv.New32a()
	hash.Write([]byte(text))
	return fmt.Sprintf("%08x", hash.Sum32())
}

func jsonIndex(i int) string { return strconv.Itoa(i) }
