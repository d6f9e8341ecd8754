package plane

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTailIsTheEndOfTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var text strings.Builder
	for line := range 100 {
		fmt.Fprintln(&text, line)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(tail(path), "\n")
	if len(lines) != 20 || lines[0] != "80" || lines[19] != "99" {
		t.Errorf("unexpected tail: %q", lines)
	}
}

func TestComponentThatDiesIsNamedWithTheEndOfItsLog(t *testing.T) {
	files := layout(t.TempDir())
	script := filepath.Join(string(files), "script")
	text := "#!/bin/sh\necho \"listen: bind: address already in use\"\nexit 3\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	ended := make(chan *process, 1)
	if _, err := launch(script, component{name: "etcd"}, files, ended); err != nil {
		t.Fatal(err)
	}
	err := (<-ended).died()
	for _, part := range []string{"etcd", "exit status 3", "bind: address already in use"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if !portTaken(err) {
		t.Error("not recognised as a port that is taken")
	}
}

func TestStopEndsAProcessThatIgnoresSIGTERM(t *testing.T) {
	files := layout(t.TempDir())
	script := filepath.Join(string(files), "script")
	text := "#!/bin/sh\ntrap '' TERM\necho ready\nwhile :; do sleep 0.1; done\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	started, err := launch(script, component{name: "etcd"}, files, make(chan *process, 1))
	if err != nil {
		t.Fatal(err)
	}
	for tail(started.log) != "ready" {
		time.Sleep(time.Millisecond)
	}
	started.stop(100 * time.Millisecond)
	if started.err == nil || !strings.Contains(started.err.Error(), "killed") {
		t.Errorf("ended with %v", started.err)
	}
}
