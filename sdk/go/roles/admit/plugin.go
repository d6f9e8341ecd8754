// The plugin {{name}}: objects without the label team are refused.
package main

import "espejote.io/sdk/go/espejote"

func init() { espejote.Register(espejote.Plugin{Admit: admit}) }

// main never runs: the host calls what is registered.
func main() {}

// Config is what a manifest gives this plugin.
type Config struct {
	Label string `json:"label"`
}

// request is as much of an AdmissionRequest (admission.k8s.io/v1) as is looked at.
type request struct {
	Object struct {
		Metadata struct {
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
	} `json:"object"`
}

func admit(call *espejote.AdmitCall) (espejote.Decision, error) {
	config := Config{Label: "team"}
	if err := call.Config(&config); err != nil {
		return espejote.Decision{}, err
	}
	var asked request
	if err := call.Request(&asked); err != nil {
		return espejote.Decision{}, err
	}
	if _, found := asked.Object.Metadata.Labels[config.Label]; found {
		return espejote.Allow(), nil
	}
	refused := espejote.Deny("the label " + config.Label + " is missing")
	refused.Code = 422
	return refused, nil
}
