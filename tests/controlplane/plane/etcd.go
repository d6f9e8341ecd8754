package plane

// etcd is the API server's store. It does not wait for the disk: its data need
// not survive a crash of the machine. With a single member an election has no
// rival to wait for, so it is held at once.
func (p *plane) etcd() component {
	client, peer := "http://"+local(p.ports.etcdClient), "http://"+local(p.ports.etcdPeer)
	return component{
		name:  "etcd",
		ports: []int{p.ports.etcdClient, p.ports.etcdPeer},
		args: []string{
			"--name=etcd",
			"--data-dir=" + p.files.etcdData(),
			"--listen-client-urls=" + client,
			"--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer,
			"--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=etcd=" + peer,
			"--unsafe-no-fsync",
			"--heartbeat-interval=10",
			"--election-timeout=100",
		},
		ready: probe{client: p.plain, url: client + "/health"},
	}
}
