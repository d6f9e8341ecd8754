package plane

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
)

// Ports are chosen from below the range that Linux gives to outgoing
// connections, so that no client's connection takes a port between its choice
// and its use.
const (
	firstPort = 20000
	lastPort  = 31999
)

// ports are the TCP ports of one control plane, all on 127.0.0.1.
type ports struct {
	etcdClient, etcdPeer, apiServer, registry int
	// held has a listener on each port that has not been released, so that
	// nobody else takes it before its component starts.
	held map[int]net.Listener
}

// holdPorts finds ports that nobody listens on and holds them. Between release
// and use somebody else may still take one; see portTaken.
func holdPorts() (ports, error) {
	held, err := holdFree(4)
	if err != nil {
		return ports{}, err
	}
	free := slices.Collect(maps.Keys(held))
	return ports{etcdClient: free[0], etcdPeer: free[1], apiServer: free[2], registry: free[3], held: held}, nil
}

// holdFree listens on count free ports.
func holdFree(count int) (map[int]net.Listener, error) {
	const attempts = 1000
	held := map[int]net.Listener{}
	for range attempts {
		if len(held) == count {
			return held, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if listener, err := net.Listen("tcp", local(port)); err == nil {
			held[port] = listener
		}
	}
	for _, listener := range held {
		listener.Close()
	}
	return nil, fmt.Errorf("no %d free ports between %d and %d after %d attempts", count, firstPort, lastPort, attempts)
}

// release leaves ports to the component that is about to listen on them.
func (p ports) release(released ...int) {
	for _, port := range released {
		p.held[port].Close()
		delete(p.held, port)
	}
}

// local is the address of a port on this machine.
func local(port int) string {
	return fmt.Sprintf("127.0.0.1:%d", port)
}
