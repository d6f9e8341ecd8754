package plane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/csv"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"time"
)

// The users of a control plane. Both are cluster administrators; the names
// tell them apart in audit logs.
const (
	adminUser             = "admin"
	controllerManagerUser = "system:kube-controller-manager"
)

// credentials are the secrets of one control plane. What the components read
// from files is in the files that layout names.
type credentials struct {
	adminToken             string
	controllerManagerToken string
	// caPEM is the certificate that the API server's certificate is signed by.
	caPEM []byte
}

// newCredentials makes the secrets of a control plane and writes the files.
func newCredentials(files layout) (credentials, error) {
	made := credentials{adminToken: rand.Text(), controllerManagerToken: rand.Text()}
	if err := writeTokens(files.tokens(), made); err != nil {
		return credentials{}, fmt.Errorf("write the tokens: %w", err)
	}
	var err error
	if made.caPEM, err = writeCertificates(files); err != nil {
		return credentials{}, fmt.Errorf("make the API server's certificate: %w", err)
	}
	if err := writeServiceAccountKeys(files); err != nil {
		return credentials{}, fmt.Errorf("make the key pair for ServiceAccount tokens: %w", err)
	}
	return made, nil
}

// writeTokens writes the API server's token file: token, user, uid, groups.
func writeTokens(path string, secrets credentials) error {
	return writeFile(path, func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll([][]string{
			{secrets.adminToken, adminUser, adminUser, "system:masters"},
			{secrets.controllerManagerToken, controllerManagerUser, controllerManagerUser, "system:masters"},
		})
	})
}

// writeServiceAccountKeys writes the key pair that ServiceAccount tokens are
// signed and verified with. RSA, as clusters in the field have it.
func writeServiceAccountKeys(files layout) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	if err := writePrivateKey(files.serviceAccountKey(), key); err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	return writePEM(files.serviceAccountPublicKey(), "PUBLIC KEY", public)
}

// writeCertificates makes a certificate authority and the API server's serving
// certificate, writes them and returns the authority's certificate. The
// authority's key is not kept.
func writeCertificates(files layout) ([]byte, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	servingKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	authority := certificateTemplate(1, "controlplane")
	authority.IsCA = true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature

	serving := certificateTemplate(2, "kube-apiserver")
	serving.KeyUsage = x509.KeyUsageDigitalSignature
	serving.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	serving.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)}
	serving.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}

	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return nil, err
	}
	servingDER, err := x509.CreateCertificate(rand.Reader, serving, authority, servingKey.Public(), authorityKey)
	if err != nil {
		return nil, err
	}
	if err := writePEM(files.ca(), "CERTIFICATE", authorityDER); err != nil {
		return nil, err
	}
	if err := writePEM(files.servingCertificate(), "CERTIFICATE", servingDER); err != nil {
		return nil, err
	}
	if err := writePrivateKey(files.servingKey(), servingKey); err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER}), nil
}

// certificateTemplate has what both certificates share. They are valid from an
// hour ago, for clocks that are set back, and for ten years.
func certificateTemplate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber:          big.NewInt(serial),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(10, 0, 0),
		BasicConstraintsValid: true,
	}
}

func writePrivateKey(path string, key crypto.Signer) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(path, "PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return writeFile(path, func(w io.Writer) error {
		return pem.Encode(w, &pem.Block{Type: kind, Bytes: der})
	})
}

// writeFile writes a file that only its owner may read.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return file.Close()
}
