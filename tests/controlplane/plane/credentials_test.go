package plane

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/csv"
	"encoding/pem"
	"os"
	"slices"
	"testing"
)

func TestCredentials(t *testing.T) {
	files := layout(t.TempDir())
	secrets, err := newCredentials(files)
	if err != nil {
		t.Fatal(err)
	}

	t.Run("tokens", func(t *testing.T) {
		file, err := os.Open(files.tokens())
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		rows, err := csv.NewReader(file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := [][]string{
			{secrets.adminToken, "admin", "admin", "system:masters"},
			{secrets.controllerManagerToken, "system:kube-controller-manager", "system:kube-controller-manager", "system:masters"},
		}
		if !slices.EqualFunc(rows, want, slices.Equal) {
			t.Errorf("tokens: %v, want %v", rows, want)
		}
		if secrets.adminToken == secrets.controllerManagerToken {
			t.Error("both users have the same token")
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("others may read the tokens: %v", info.Mode())
		}
	})

	t.Run("serving certificate", func(t *testing.T) {
		pair, err := tls.LoadX509KeyPair(files.servingCertificate(), files.servingKey())
		if err != nil {
			t.Fatal(err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(secrets.caPEM) {
			t.Fatal("no certificate of the authority")
		}
		for _, name := range []string{"127.0.0.1", "localhost", "kubernetes.default.svc"} {
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
				t.Errorf("not valid for %s: %v", name, err)
			}
		}
	})

	t.Run("ServiceAccount keys", func(t *testing.T) {
		private, err := x509.ParsePKCS8PrivateKey(readPEM(t, files.serviceAccountKey()))
		if err != nil {
			t.Fatal(err)
		}
		public, err := x509.ParsePKIXPublicKey(readPEM(t, files.serviceAccountPublicKey()))
		if err != nil {
			t.Fatal(err)
		}
		if !private.(*rsa.PrivateKey).PublicKey.Equal(public) {
			t.Error("the keys are not a pair")
		}
	})
}

func readPEM(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		t.Fatalf("no PEM in %s", path)
	}
	return block.Bytes
}
