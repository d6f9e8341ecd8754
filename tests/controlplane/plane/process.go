package plane

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// grace is how long a component has between SIGTERM and SIGKILL.
const grace = 5 * time.Second

// component is what to run as a child process, on which ports it listens, and
// how to tell that it is ready.
type component struct {
	name  string
	ports []int
	args  []string
	ready probe
}

// process is a running component.
type process struct {
	name string
	pid  int
	log  string
	// ended is closed when the process has ended, with its outcome in err.
	ended chan struct{}
	err   error
}

// launch starts a component of the binary in the data directory. What it
// prints goes to a log there. When it ends, it is sent to ended, which must
// have room.
//
// The child dies with this process, even when this one is killed. The kernel
// ties that to the thread that started the child, so all children are started
// by one goroutine that holds its thread for good.
func launch(binary string, c component, files layout, ended chan<- *process) (*process, error) {
	log, err := os.Create(files.log(c.name))
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	defer log.Close()
	command := exec.Command(binary, append([]string{c.name}, c.args...)...)
	command.Dir = string(files)
	command.Env = environment()
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		// A group of its own: a Ctrl-C at the terminal is for the supervisor,
		// which then ends its children in order.
		Setpgid: true,
	}
	if err := startOnLauncher(command); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	started := &process{name: c.name, pid: command.Process.Pid, log: log.Name(), ended: make(chan struct{})}
	go func() {
		started.err = command.Wait()
		close(started.ended)
		ended <- started
	}()
	return started, nil
}

// launcher hands commands to the goroutine that starts them.
var launcher = make(chan func())

func init() {
	go func() {
		runtime.LockOSThread()
		for start := range launcher {
			start()
		}
	}()
}

func startOnLauncher(command *exec.Cmd) error {
	result := make(chan error)
	launcher <- func() { result <- command.Start() }
	return <-result
}

// environment is the part of this process's environment that the components
// see. Some take settings from variables, and a test must not depend on those
// that happen to be set; the registry would export traces without the last.
func environment() []string {
	kept := []string{"OTEL_TRACES_EXPORTER=none"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

// stop ends the process and returns when it has ended. It is killed if it has
// not ended by itself within the patience.
func (p *process) stop(patience time.Duration) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-p.ended:
			return
		default:
		}
		// The pid is still ours: it is free for others only after the process
		// has been waited for. An error means that this is happening just now.
		_ = syscall.Kill(p.pid, signal)
		select {
		case <-p.ended:
		case <-time.After(patience):
		}
	}
	<-p.ended
}

// died describes a process that has ended by itself.
func (p *process) died() error {
	outcome := "exit status 0"
	if p.err != nil {
		outcome = p.err.Error()
	}
	return &diedError{name: p.name, outcome: outcome, logTail: tail(p.log)}
}

// diedError says that a component ended by itself.
type diedError struct {
	name, outcome, logTail string
}

func (e *diedError) Error() string {
	return fmt.Sprintf("%s ended by itself: %s; the end of its log:\n%s", e.name, e.outcome, e.logTail)
}

// portTaken tells whether err is a component that could not listen on its
// port.
func portTaken(err error) bool {
	var died *diedError
	return errors.As(err, &died) && strings.Contains(died.logTail, syscall.EADDRINUSE.Error())
}

// tail returns the last lines of a log.
func tail(path string) string {
	const lines = 20
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprintf("(not readable: %v)", err)
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
