package plane

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"syscall"
)

// detach starts this binary again to run the control plane in a session of its
// own, and returns once that one has printed its endpoints.
func detach(ctx context.Context, o options, out io.Writer) error {
	files, err := openLayout(o.dir)
	if err != nil {
		return err
	}
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	// Opened for reading too: at a failure the data directory and the log in it
	// may be gone before the log is read.
	log, err := os.OpenFile(files.log(supervisorName), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the supervisor's log: %w", err)
	}
	defer log.Close()
	command := exec.Command(binary, o.foregroundArgs(files)...)
	command.Stderr = log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	// A signal before it is ready ends the supervisor too, and so its output.
	ready := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
			_ = command.Process.Signal(syscall.SIGTERM)
		case <-ready:
		}
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	close(ready)
	if err != nil {
		return errors.Join(failure(command, log), context.Cause(ctx))
	}
	if _, err := io.WriteString(out, line); err != nil {
		return fmt.Errorf("print the endpoints: %w", err)
	}
	return nil
}

// foregroundArgs are the arguments with which "up" runs the control plane by
// itself.
func (o options) foregroundArgs(files layout) []string {
	args := []string{supervisorName, "--dir=" + string(files), "--timeout=" + o.timeout.String()}
	if o.keep {
		args = append(args, "--keep")
	}
	for _, arg := range o.apiServerArgs {
		args = append(args, "--api-server-arg="+arg)
	}
	return args
}

// failure waits for a supervisor that has not become ready and returns what it
// logged.
func failure(command *exec.Cmd, log *os.File) error {
	outcome := command.Wait()
	text, err := io.ReadAll(io.NewSectionReader(log, 0, math.MaxInt64))
	return errors.Join(fmt.Errorf("the supervisor failed: %w\n%s", outcome, bytes.TrimSpace(text)), err)
}
