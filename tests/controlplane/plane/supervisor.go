package plane

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"
)

// supervisorName is the supervisor's own name beside those of the components.
const supervisorName = "up"

// plane is one control plane: where it is, its secrets and its processes.
type plane struct {
	files         layout
	binary        string
	apiServerArgs []string
	ports         ports
	secrets       credentials
	// plain and trusting are for readiness: with and without TLS.
	plain, trusting *http.Client
	// processes run in the order in which they were started.
	processes []*process
	// ended receives each process that has ended.
	ended chan *process
}

// newPlane chooses ports and writes all files that the components need.
func newPlane(files layout, apiServerArgs []string) (*plane, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this binary: %w", err)
	}
	const components = 4
	p := &plane{files: files, binary: binary, apiServerArgs: apiServerArgs, ended: make(chan *process, components)}
	if p.ports, err = holdPorts(); err != nil {
		return nil, err
	}
	if p.secrets, err = newCredentials(files); err != nil {
		return nil, err
	}
	p.plain, p.trusting = newClient(nil), newClient(p.secrets.caPEM)
	err = writeKubeconfig(files.kubeconfig(), p.apiServerURL(), p.secrets.caPEM, adminUser, p.secrets.adminToken)
	if err != nil {
		return nil, fmt.Errorf("write the kubeconfig: %w", err)
	}
	err = writeKubeconfig(files.controllerKubeconfig(), p.apiServerURL(), p.secrets.caPEM,
		controllerManagerUser, p.secrets.controllerManagerToken)
	if err != nil {
		return nil, fmt.Errorf("write the controller manager's kubeconfig: %w", err)
	}
	if err := writeRegistryConfig(files, local(p.ports.registry)); err != nil {
		return nil, err
	}
	return p, nil
}

// start brings all components up and returns when all are ready. Each needs
// the one before it, except for the registry, which comes last to leave the
// processors to the others.
func (p *plane) start(ctx context.Context) error {
	for _, c := range []component{p.etcd(), p.apiServer(), p.controllerManager(), p.registry()} {
		p.ports.release(c.ports...)
		started, err := launch(p.binary, c, p.files, p.ended)
		if err != nil {
			return err
		}
		p.processes = append(p.processes, started)
		if err := p.await(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// await returns when the component is ready.
func (p *plane) await(ctx context.Context, c component) error {
	const interval = 20 * time.Millisecond
	for {
		err := c.ready.try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; last attempt: %w", c.name, context.Cause(ctx), err)
		case ended := <-p.ended:
			return ended.died()
		case <-time.After(interval):
		}
	}
}

// stop ends all components, the last started first, and gives back the ports.
func (p *plane) stop() {
	for _, each := range slices.Backward(p.processes) {
		each.stop(grace)
	}
	p.processes = nil
	p.ports.release(slices.Collect(maps.Keys(p.ports.held))...)
}

// endpoints describes the running control plane.
func (p *plane) endpoints(keep bool) Endpoints {
	pids := map[string]int{supervisorName: os.Getpid()}
	for _, each := range p.processes {
		pids[each.name] = each.pid
	}
	return Endpoints{
		Dir:        string(p.files),
		APIServer:  p.apiServerURL(),
		CAFile:     p.files.ca(),
		Kubeconfig: p.files.kubeconfig(),
		AdminToken: p.secrets.adminToken,
		Registry:   local(p.ports.registry),
		Kubectl:    p.binary,
		Keep:       keep,
		Pids:       pids,
	}
}
