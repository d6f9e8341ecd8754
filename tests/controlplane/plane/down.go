package plane

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Down ends the control plane of a data directory.
//
// The supervisor ends everything else. If it is gone, so should be its
// children, which are looked for all the same.
func Down(args []string) error {
	flags := flag.NewFlagSet("down", flag.ContinueOnError)
	dir := flags.String("dir", "", "data `directory` of the control plane")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || flags.NArg() > 0 {
		return errors.New("--dir is needed, and nothing else")
	}
	files, err := resolveLayout(*dir)
	if err != nil {
		return err
	}
	running, err := readEndpoints(files)
	if err != nil {
		return err
	}
	for _, name := range []string{supervisorName, "registry", "kube-controller-manager", "kube-apiserver", "etcd"} {
		if err := end(running.Pids[name], name, files); err != nil {
			return err
		}
	}
	if running.Keep {
		return nil
	}
	return files.remove()
}

// end ends one process of the control plane, if it is still there.
func end(pid int, name string, files layout) error {
	// The handle is taken before the look at whose process it is, and stays
	// with that process even if the pid goes to another one in between.
	handle, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("find %s: %w", name, err)
	}
	defer handle.Release()
	patience := grace
	if name == supervisorName {
		// It has children to end, one after the other.
		patience = 6 * grace
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if !owned(pid, name, files) {
			return nil
		}
		if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("end %s, process %d: %w", name, pid, err)
		}
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if !owned(pid, name, files) {
				return nil
			}
		}
	}
	return fmt.Errorf("%s, process %d, did not end", name, pid)
}
