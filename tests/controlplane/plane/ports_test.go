package plane

import (
	"maps"
	"net"
	"testing"
)

func TestReleasedPortsCanBeListenedOn(t *testing.T) {
	const count = 50
	held, err := holdFree(count)
	if err != nil {
		t.Fatal(err)
	}
	if len(held) != count {
		t.Errorf("%d ports, want %d", len(held), count)
	}
	p := ports{held: maps.Clone(held)}
	for port := range held {
		if port < firstPort || port > lastPort {
			t.Errorf("port %d is outside of %d to %d", port, firstPort, lastPort)
		}
		if listener, err := net.Listen("tcp", local(port)); err == nil {
			listener.Close()
			t.Errorf("port %d is not held", port)
		}
		p.release(port)
		listener, err := net.Listen("tcp", local(port))
		if err != nil {
			t.Errorf("port %d is not free: %v", port, err)
			continue
		}
		defer listener.Close()
	}
	if len(p.held) > 0 {
		t.Errorf("still held: %v", p.held)
	}
}
