package plane

import (
	"encoding/json"
	"io"
)

type object = map[string]any

// writeKubeconfig writes a kubeconfig for a user of the API server, without
// references to other files. It is JSON, which is YAML too.
func writeKubeconfig(path, server string, caPEM []byte, user, token string) error {
	const name = "controlplane"
	config := object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": name,
		"clusters": []object{{"name": name, "cluster": object{
			"server":                     server,
			"certificate-authority-data": caPEM,
		}}},
		"users":    []object{{"name": user, "user": object{"token": token}}},
		"contexts": []object{{"name": name, "context": object{"cluster": name, "user": user}}},
	}
	return writeFile(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(config)
	})
}
