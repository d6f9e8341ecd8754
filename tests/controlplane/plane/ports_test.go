package plane

import (
	"net"
	"testing"
)

func TestFreePortsAreDifferentAndCanBeListenedOn(t *testing.T) {
	const count = 50
	free, err := freePorts(count)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range free {
		if port < firstPort || port > lastPort {
			t.Errorf("port %d is outside of %d to %d", port, firstPort, lastPort)
		}
		if seen[port] {
			t.Errorf("port %d is there twice", port)
		}
		seen[port] = true
		listener, err := net.Listen("tcp", local(port))
		if err != nil {
			t.Errorf("port %d is not free: %v", port, err)
			continue
		}
		defer listener.Close()
	}
	if len(seen) != count {
		t.Errorf("%d ports, want %d", len(seen), count)
	}
}
