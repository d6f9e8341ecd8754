package espejote

import (
	"encoding/json"

	"espejote.io/sdk/go/internal/host"
)

// AdmitCall is one request to the API server that is to be decided on.
type AdmitCall struct {
	Call
	provided
	host    host.Host
	request string
}

// Request decodes the AdmissionRequest (admission.k8s.io/v1).
func (c *AdmitCall) Request(into any) error {
	if err := decode(c.RequestJSON(), into, false); err != nil {
		return InvalidInput("admission request: %w", err)
	}
	return nil
}

// RequestJSON is the AdmissionRequest as JSON.
func (c *AdmitCall) RequestJSON() json.RawMessage { return json.RawMessage(c.request) }

// Warn shows a message to the user who sent the request, by kubectl for example. At most 256 bytes are sure to be shown.
func (c *AdmitCall) Warn(message string) { c.host.Warn(message) }

// Annotate adds to the audit event of the request.
func (c *AdmitCall) Annotate(key, value string) { c.host.Annotate(key, value) }

// Decision is the answer to a request.
type Decision struct {
	Allowed bool
	// Code is the HTTP status code in the answer. Zero: 200 if allowed, 403 if not.
	Code uint16
	// Message is for the user who sent the request. Empty: none.
	Message string
	// Patch changes the object under review by a JSON patch (RFC 6902): anything that encoding/json writes as an array.
	// Only where the manifest says mutating: true.
	Patch any
	// Object is the whole object as it should be; the host works out the patch. Not both.
	Object any
}

// Allow lets the request pass.
func Allow() Decision { return Decision{Allowed: true} }

// Deny refuses the request, with a message for the user.
func Deny(message string) Decision { return Decision{Message: message} }

func (d Decision) forHost() (*host.Decision, error) {
	decision := &host.Decision{Allowed: d.Allowed, Message: d.Message}
	if d.Code != 0 {
		decision.Code = &d.Code
	}
	if d.Patch != nil && d.Object != nil {
		return nil, InvalidOutput("decision: it has a patch and an object, expected one of them")
	}
	var err error
	if decision.Patch, err = mutation(d.Patch); err != nil {
		return nil, err
	}
	if decision.Object, err = mutation(d.Object); err != nil {
		return nil, err
	}
	return decision, nil
}

func mutation(value any) (*string, error) {
	if value == nil {
		return nil, nil
	}
	text, err := encode(value)
	if err != nil {
		return nil, InvalidOutput("mutation of a decision: %w", err)
	}
	return &text, nil
}
