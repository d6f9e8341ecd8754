// Command yaml-oracle writes each line of JSON on standard input as sigs.k8s.io/yaml writes it.
//
// With "read" as its argument it reads YAML instead: each line is a JSON string that holds a document. Each answer is one
// line of JSON: {"ok": text} or {"error": text}.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"sigs.k8s.io/yaml"
)

type answer struct {
	OK    *string `json:"ok,omitempty"`
	Error string  `json:"error,omitempty"`
}

func main() {
	convert := write
	if len(os.Args) > 1 && os.Args[1] == "read" {
		convert = read
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := out.Encode(answerOf(convert(lines.Bytes()))); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}

func write(line []byte) ([]byte, error) {
	return yaml.JSONToYAML(line)
}

func read(line []byte) ([]byte, error) {
	var document string
	if err := json.Unmarshal(line, &document); err != nil {
		return nil, err
	}
	return yaml.YAMLToJSONStrict([]byte(document))
}

func answerOf(converted []byte, err error) answer {
	if err != nil {
		return answer{Error: err.Error()}
	}
	text := string(converted)
	return answer{OK: &text}
}
