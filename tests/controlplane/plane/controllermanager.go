package plane

import "strings"

// controllers are those whose work a client of the API notices where no
// kubelet runs: ServiceAccounts and their tokens, the deletion of namespaces
// and of dependents, and the cluster roles that are made of others.
var controllers = []string{
	"serviceaccount-controller",
	"serviceaccount-token-controller",
	"root-ca-certificate-publisher-controller",
	"namespace-controller",
	"garbage-collector-controller",
	"clusterrole-aggregation-controller",
}

// controllerManager is ready when its first visible work is done: the default
// ServiceAccount of the namespace default exists.
func (p *plane) controllerManager() component {
	return component{
		name: "kube-controller-manager",
		args: []string{
			"--kubeconfig=" + p.files.controllerKubeconfig(),
			"--controllers=" + strings.Join(controllers, ","),
			"--service-account-private-key-file=" + p.files.serviceAccountKey(),
			"--root-ca-file=" + p.files.ca(),
			"--secure-port=0",
			"--leader-elect=false",
			"--kube-api-qps=200",
			"--kube-api-burst=400",
		},
		ready: p.apiProbe("/api/v1/namespaces/default/serviceaccounts/default"),
	}
}
