package espejote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"espejote.io/sdk/go/internal/host"
)

// decode reads exactly one document. Numbers that go into an any stay as they are written.
func decode(text []byte, into any, strict bool) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if strict {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return fmt.Errorf("there is more after the JSON document")
	}
	return nil
}

// encode writes one document. What Go escapes for the sake of HTML stays as it is.
func encode(value any) (string, error) {
	switch value := value.(type) {
	case json.RawMessage:
		return string(value), nil
	case string:
		return "", fmt.Errorf("a string is no object; text that is JSON already is a json.RawMessage")
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

func raw(text *string) json.RawMessage {
	if text == nil {
		return nil
	}
	return json.RawMessage(*text)
}

// written names an object for people.
func written(id host.ObjectID) string {
	if id.Namespace == "" {
		return id.Kind + " " + id.Name
	}
	return id.Kind + " " + id.Namespace + "/" + id.Name
}
