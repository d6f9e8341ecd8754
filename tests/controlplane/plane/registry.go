package plane

import (
	"encoding/json"
	"fmt"
	"io"
)

// writeRegistryConfig writes the registry's configuration: plain HTTP, nobody
// needs to log in, tags and blobs may be deleted. It is JSON, which is YAML
// too.
func writeRegistryConfig(files layout, address string) error {
	config := object{
		"version": "0.1",
		"storage": object{
			"filesystem": object{"rootdirectory": files.registryData()},
			"delete":     object{"enabled": true},
		},
		"http": object{"addr": address},
	}
	err := writeFile(files.registryConfig(), func(w io.Writer) error { return json.NewEncoder(w).Encode(config) })
	if err != nil {
		return fmt.Errorf("write the registry's configuration: %w", err)
	}
	return nil
}

// registry is an OCI registry.
func (p *plane) registry() component {
	return component{
		name:  "registry",
		ports: []int{p.ports.registry},
		args:  []string{p.files.registryConfig()},
		ready: probe{client: p.plain, url: "http://" + local(p.ports.registry) + "/v2/"},
	}
}
