// Command jsonnet-oracle evaluates Jsonnet as go-jsonnet does.
//
// Standard input is one JSON document: {"files": {name: base64}, "snippets": [code]}. Imports find the files, by their names.
// Each answer is one line of JSON: {"ok": text} with the manifested JSON, or {"error": text} with the error and its places.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	"github.com/google/go-jsonnet"
)

type question struct {
	Files    map[string][]byte `json:"files"`
	Snippets []string          `json:"snippets"`
}

type answer struct {
	OK    *string `json:"ok,omitempty"`
	Error string  `json:"error,omitempty"`
}

// The name of a snippet in errors, as Espejote has it.
const name = "template"

// What takes longer is a mistake of ours: the process ends.
const patience = time.Minute

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	found := make(files)
	for name, content := range asked.Files {
		found[name] = jsonnet.MakeContentsRaw(content)
	}
	out := json.NewEncoder(os.Stdout)
	for _, snippet := range asked.Snippets {
		watchdog := time.AfterFunc(patience, func() { panic("takes too long: " + snippet) })
		if err := out.Encode(evaluate(found, snippet)); err != nil {
			panic(err)
		}
		watchdog.Stop()
	}
}

// evaluate has a machine of its own for each snippet: nothing is carried over.
func evaluate(found files, snippet string) answer {
	vm := jsonnet.MakeVM()
	vm.Importer(found)
	// What std.trace prints is not compared.
	vm.SetTraceOut(io.Discard)
	text, err := vm.EvaluateAnonymousSnippet(name, snippet)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{OK: &text}
}

// files are what can be imported, by their names.
type files map[string]jsonnet.Contents

// Import looks beside the file that imports.
func (found files) Import(from, wanted string) (jsonnet.Contents, string, error) {
	name := path.Join(path.Dir(from), wanted)
	content, ok := found[name]
	if !ok {
		return jsonnet.Contents{}, "", fmt.Errorf("no file %s", name)
	}
	return content, name, nil
}
