package plane

import "strconv"

// serviceAccountIssuer is who ServiceAccount tokens say they are from.
const serviceAccountIssuer = "https://kubernetes.default.svc"

// apiServerURL is where clients reach the API server.
func (p *plane) apiServerURL() string {
	return "https://" + local(p.ports.apiServer)
}

// apiServer is the API server with the defaults of its version; what is set
// here is what has no default or is about addresses. Endpoints of the Service
// "kubernetes" are not kept: they may not be on 127.0.0.1.
func (p *plane) apiServer() component {
	return component{
		name:  "kube-apiserver",
		ports: []int{p.ports.apiServer},
		args: append([]string{
			"--etcd-servers=http://" + local(p.ports.etcdClient),
			"--bind-address=127.0.0.1",
			"--advertise-address=127.0.0.1",
			"--endpoint-reconciler-type=none",
			"--secure-port=" + strconv.Itoa(p.ports.apiServer),
			"--tls-cert-file=" + p.files.servingCertificate(),
			"--tls-private-key-file=" + p.files.servingKey(),
			"--token-auth-file=" + p.files.tokens(),
			"--authorization-mode=RBAC",
			"--service-account-issuer=" + serviceAccountIssuer,
			"--service-account-key-file=" + p.files.serviceAccountPublicKey(),
			"--service-account-signing-key-file=" + p.files.serviceAccountKey(),
			"--service-cluster-ip-range=10.0.0.0/24",
			"--allow-privileged",
		}, p.apiServerArgs...),
		ready: p.apiProbe("/readyz"),
	}
}

// apiProbe asks the API server for a path as the administrator.
func (p *plane) apiProbe(path string) probe {
	return probe{client: p.trusting, url: p.apiServerURL() + path, token: p.secrets.adminToken}
}
