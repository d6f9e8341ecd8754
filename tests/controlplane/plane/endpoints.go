package plane

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Endpoints is what a client needs to know about a running control plane. Up
// writes it into the data directory and prints it on one line.
type Endpoints struct {
	// Dir is the data directory, which also has a log for each component.
	Dir string `json:"dir"`
	// APIServer is the URL of the API server.
	APIServer string `json:"apiServer"`
	// CAFile is the certificate that the API server's is signed by.
	CAFile string `json:"caFile"`
	// Kubeconfig is a file for a cluster administrator.
	Kubeconfig string `json:"kubeconfig"`
	// AdminToken is that administrator's bearer token.
	AdminToken string `json:"adminToken"`
	// Registry is the host and port of the OCI registry, which speaks HTTP.
	Registry string `json:"registry"`
	// Kubectl is this binary, to be called with "kubectl" as its first argument.
	Kubectl string `json:"kubectl"`
	// Keep tells that the data directory outlives the control plane.
	Keep bool `json:"keep"`
	// Pids has the process of each component, and that of "up" itself.
	Pids map[string]int `json:"pids"`
}

// publish writes the endpoints into the data directory and then, on one line,
// to out.
func (e Endpoints) publish(out io.Writer) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the endpoints: %w", err)
	}
	line = append(line, '\n')
	err = writeFile(layout(e.Dir).endpoints(), func(w io.Writer) error {
		_, err := w.Write(line)
		return err
	})
	if err != nil {
		return fmt.Errorf("write the endpoints: %w", err)
	}
	if _, err := out.Write(line); err != nil {
		return fmt.Errorf("print the endpoints: %w", err)
	}
	return nil
}

// readEndpoints reads what publish wrote.
func readEndpoints(files layout) (Endpoints, error) {
	text, err := os.ReadFile(files.endpoints())
	if err != nil {
		return Endpoints{}, fmt.Errorf("no control plane has become ready in %s: %w", files, err)
	}
	var read Endpoints
	if err := json.Unmarshal(text, &read); err != nil {
		return Endpoints{}, fmt.Errorf("parse %s: %w", files.endpoints(), err)
	}
	return read, nil
}
