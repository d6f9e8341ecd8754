package plane

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// options are the flags of "up".
type options struct {
	dir              string
	keep             bool
	untilStdinCloses bool
	detach           bool
	timeout          time.Duration
	apiServerArgs    []string
}

func parseUp(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", "", "data `directory`, new or empty (default: a fresh temporary one)")
	flags.BoolVar(&o.keep, "keep", false, "leave the data directory behind at the end")
	flags.BoolVar(&o.untilStdinCloses, "until-stdin-closes", false, "end when standard input is closed")
	flags.BoolVar(&o.detach, "detach", false, "return once the control plane is ready; \"down\" ends it")
	flags.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long the start may take")
	flags.Func("api-server-arg", "a further `argument` for the API server; may be repeated", func(arg string) error {
		o.apiServerArgs = append(o.apiServerArgs, arg)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.detach && o.untilStdinCloses {
		return o, errors.New("--detach and --until-stdin-closes exclude each other")
	}
	return o, nil
}

// Up runs a control plane until it is told to end, and prints its Endpoints to
// out when it is ready.
func Up(args []string, out io.Writer) error {
	o, err := parseUp(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if o.detach {
		return detach(ctx, o, out)
	}
	return run(ctx, o, out)
}

// run is Up in the foreground.
func run(ctx context.Context, o options, out io.Writer) (err error) {
	files, err := openLayout(o.dir)
	if err != nil {
		return err
	}
	if !o.keep {
		defer func() { err = errors.Join(err, files.remove()) }()
	}
	// That it works in the data directory shows that a process is ours; see
	// owned.
	if err := os.Chdir(string(files)); err != nil {
		return fmt.Errorf("enter the data directory: %w", err)
	}
	if o.untilStdinCloses {
		ctx = untilClosed(ctx, os.Stdin)
	}
	p, err := bringUp(ctx, o, files)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := p.endpoints(o.keep).publish(out); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case ended := <-p.ended:
		return ended.died()
	}
}

// bringUp starts a control plane. When somebody else has taken one of the
// chosen ports, it starts over with others.
func bringUp(ctx context.Context, o options, files layout) (*plane, error) {
	const attempts = 5
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("given up after %s", o.timeout))
	defer cancel()
	for attempt := 1; ; attempt++ {
		p, err := newPlane(files, o.apiServerArgs)
		if err != nil {
			return nil, err
		}
		err = p.start(ctx)
		if err == nil {
			return p, nil
		}
		p.stop()
		if attempt == attempts || !portTaken(err) {
			return nil, err
		}
		// What etcd has stored is of a control plane with other addresses.
		if err := os.RemoveAll(files.etcdData()); err != nil {
			return nil, fmt.Errorf("start over: %w", err)
		}
	}
}

// untilClosed returns a context that ends when the reader does.
func untilClosed(parent context.Context, reader io.Reader) context.Context {
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		_, err := io.Copy(io.Discard, reader)
		cancel(errors.Join(errors.New("standard input is closed"), err))
	}()
	return ctx
}
