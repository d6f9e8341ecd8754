package plane

import (
	"fmt"
	"math/rand/v2"
	"net"
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
}

// choosePorts finds ports that nobody listens on. Somebody else may still take
// one before its component does; see diedError.portTaken.
func choosePorts() (ports, error) {
	free, err := freePorts(4)
	if err != nil {
		return ports{}, err
	}
	return ports{etcdClient: free[0], etcdPeer: free[1], apiServer: free[2], registry: free[3]}, nil
}

// freePorts returns count different ports that were free a moment ago.
func freePorts(count int) ([]int, error) {
	const attempts = 1000
	var free []int
	for range attempts {
		if len(free) == count {
			return free, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		listener, err := net.Listen("tcp", local(port))
		if err != nil {
			continue
		}
		// Held until all are found, so that none is found twice.
		defer listener.Close()
		free = append(free, port)
	}
	return nil, fmt.Errorf("no %d free ports between %d and %d after %d attempts", count, firstPort, lastPort, attempts)
}

// local is the address of a port on this machine.
func local(port int) string {
	return fmt.Sprintf("127.0.0.1:%d", port)
}
