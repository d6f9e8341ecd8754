// Package health says what others make of our statuses: kstatus, by which Flux, kpt and Argo CD's tools decide whether an object
// is ready, and Argo CD with the health check of deploy/argocd. Both programs are the real ones, as Go modules; the objects
// are what the operator left on a real API server (./record writes them).
package health
