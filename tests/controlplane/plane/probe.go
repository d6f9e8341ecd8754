package plane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"time"
)

// probe is a GET request that succeeds once a component is ready.
type probe struct {
	client *http.Client
	url    string
	// token is the bearer token, if the component wants one.
	token string
}

// try sends the request once.
func (p probe) try(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return err
	}
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	// Read to the end, so that the connection is used again.
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return fmt.Errorf("GET %s: %w", p.url, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", p.url, response.Status)
	}
	return nil
}

// newClient makes a client for components on this machine. It trusts the
// certificate authority of caPEM, if there is one, and nobody else.
func newClient(caPEM []byte) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(caPEM)
	return &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
	}
}
