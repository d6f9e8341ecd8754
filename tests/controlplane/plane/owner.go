package plane

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// owned tells whether a process still is what the endpoints recorded: the
// component name (or the supervisor) of the control plane in the data
// directory. Once that has ended, its pid may be anybody's. All processes of a
// control plane work in its data directory and have their name as the first
// argument.
func owned(pid int, name string, files layout) bool {
	proc := filepath.Join("/proc", fmt.Sprint(pid))
	dir, err := os.Readlink(filepath.Join(proc, "cwd"))
	if err != nil || dir != string(files) {
		return false
	}
	line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return false
	}
	args := strings.Split(string(line), "\x00")
	return len(args) > 1 && args[1] == name
}
