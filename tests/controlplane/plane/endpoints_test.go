package plane

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestEndpointsArePrintedOnOneLineAndWritten(t *testing.T) {
	files := layout(t.TempDir())
	published := Endpoints{
		Dir:        string(files),
		APIServer:  "https://127.0.0.1:1",
		CAFile:     files.ca(),
		Kubeconfig: files.kubeconfig(),
		AdminToken: "secret",
		Registry:   "127.0.0.1:2",
		Kubectl:    "/bin/controlplane",
		Keep:       true,
		Pids:       map[string]int{"etcd": 3, "up": 4},
	}
	var out bytes.Buffer
	if err := published.publish(&out); err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(out.Bytes(), []byte("\n")); lines != 1 || !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
		t.Errorf("not one line: %q", out.String())
	}
	var fields map[string]any
	if err := json.Unmarshal(out.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	names := []string{"dir", "apiServer", "caFile", "kubeconfig", "adminToken", "registry", "kubectl", "keep", "pids"}
	for _, name := range names {
		if _, ok := fields[name]; !ok {
			t.Errorf("no field %q in %s", name, out.String())
		}
	}
	if len(fields) != len(names) {
		t.Errorf("%d fields, want %d", len(fields), len(names))
	}
	read, err := readEndpoints(files)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, published) {
		t.Errorf("read %+v, want %+v", read, published)
	}
}

func TestKubeconfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := writeKubeconfig(path, "https://127.0.0.1:1", []byte("certificate"), "admin", "secret"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string
				CA     []byte `json:"certificate-authority-data"`
			}
		}
		Users []struct {
			User struct{ Token string }
		}
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	cluster, user := config.Clusters[0].Cluster, config.Users[0].User
	if cluster.Server != "https://127.0.0.1:1" || !slices.Equal(cluster.CA, []byte("certificate")) || user.Token != "secret" {
		t.Errorf("unexpected kubeconfig: %s", text)
	}
}
