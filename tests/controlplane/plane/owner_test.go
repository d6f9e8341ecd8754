package plane

import (
	"os/exec"
	"testing"
	"time"
)

func TestOwned(t *testing.T) {
	files, err := resolveLayout(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Its first argument passes for the name of a component.
	const name = "60"
	command := exec.Command("sleep", name)
	command.Dir = string(files)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	pid := command.Process.Pid
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})

	// The kernel tells Start that the program runs before it shows its arguments.
	for deadline := time.Now().Add(10 * time.Second); !owned(pid, name, files) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if !owned(pid, name, files) {
		t.Fatal("our process is not known as ours")
	}
	if owned(pid, "etcd", files) {
		t.Error("a process of another name passes for ours")
	}
	if owned(pid, name, files+"/other") {
		t.Error("a process of another directory passes for ours")
	}
	if err := end(pid, "etcd", files); err != nil {
		t.Error(err)
	}
	if !owned(pid, name, files) {
		t.Error("a process that is not ours has been ended")
	}
	if err := end(pid, name, files); err != nil {
		t.Error(err)
	}
	if owned(pid, name, files) {
		t.Error("our process has not been ended")
	}
}
