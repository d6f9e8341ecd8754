// The plugin {{name}}: an entry of context that says how many namespaces each team has.
package main

import "espejote.io/sdk/go/espejote"

func init() { espejote.Register(espejote.Plugin{Provide: provide}) }

// main never runs: the host calls what is registered.
func main() {}

// Config is what the entry of a manifest gives this plugin, under data.
type Config struct {
	Label string `json:"label"`
}

type namespace struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
}

func provide(call *espejote.ProvideCall) (any, error) {
	config := Config{Label: "team"}
	if err := call.Config(&config); err != nil {
		return nil, err
	}
	// The contexts are those of the ManagedResource that has the entry.
	namespaces, err := call.Context("namespaces")
	if err != nil {
		return nil, err
	}
	teams := map[string]int{}
	for object, err := range espejote.Objects[namespace](namespaces) {
		if err != nil {
			return nil, err
		}
		if team, found := object.Metadata.Labels[config.Label]; found {
			teams[team]++
		}
	}
	return teams, nil
}
