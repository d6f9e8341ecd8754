package plane

import (
	"fmt"
	"os"
	"path/filepath"
)

// layout is a data directory, and knows where in it each file is.
type layout string

func (l layout) path(name string) string         { return filepath.Join(string(l), name) }
func (l layout) log(name string) string          { return l.path(name + ".log") }
func (l layout) endpoints() string               { return l.path("endpoints.json") }
func (l layout) kubeconfig() string              { return l.path("kubeconfig") }
func (l layout) tokens() string                  { return l.path("tokens.csv") }
func (l layout) ca() string                      { return l.path("ca.crt") }
func (l layout) servingCertificate() string      { return l.path("apiserver.crt") }
func (l layout) servingKey() string              { return l.path("apiserver.key") }
func (l layout) serviceAccountKey() string       { return l.path("sa.key") }
func (l layout) serviceAccountPublicKey() string { return l.path("sa.pub") }
func (l layout) etcdData() string                { return l.path("etcd") }
func (l layout) controllerKubeconfig() string    { return l.path("controller-manager.kubeconfig") }
func (l layout) registryData() string            { return l.path("registry") }
func (l layout) registryConfig() string          { return l.path("registry.yaml") }

// openLayout makes a data directory: the given one, which must be new or
// empty, or without one a fresh directory for temporary files.
func openLayout(dir string) (layout, error) {
	if dir == "" {
		temp, err := os.MkdirTemp("", "controlplane-")
		if err != nil {
			return "", fmt.Errorf("make a data directory: %w", err)
		}
		return resolveLayout(temp)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the data directory: %w", err)
	}
	files, err := resolveLayout(dir)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(string(files))
	if err != nil {
		return "", fmt.Errorf("read the data directory: %w", err)
	}
	for _, entry := range entries {
		// The log of a detached supervisor is there before it starts.
		if entry.Name() != filepath.Base(files.log(supervisorName)) {
			return "", fmt.Errorf("the data directory %s is not empty: it has %s", files, entry.Name())
		}
	}
	return files, nil
}

// resolveLayout finds the data directory's absolute path without symbolic
// links, the one that /proc shows.
func resolveLayout(dir string) (layout, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	resolved, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	return layout(resolved), nil
}

// remove removes the data directory with all that is in it.
func (l layout) remove() error {
	if err := os.RemoveAll(string(l)); err != nil {
		return fmt.Errorf("remove the data directory: %w", err)
	}
	return nil
}
