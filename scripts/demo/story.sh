# shellcheck shell=bash
# What the demo shows, in order. Sourced by the scripts beside it, which set what is not set here.
# shellcheck disable=SC2154

tell_story() {
  local began
  began=$(milliseconds)
  chapter "Building: the operator, and a control plane of etcd, API server and controller manager" build_everything
  chapter "Starting the control plane, on 127.0.0.1 only" start_cluster
  chapter "Installing the definitions and the operator's rights" install_operator
  begin_operator
  show_identity
  show_disable_default_sources
  show_secret_sync
  show_source_change
  show_new_namespace
  show_end
  note
  success "Everything that was expected has happened, in $(duration $(($(milliseconds) - began)))."
}

# chapter TEXT COMMAND: a heading, and how long it took.
chapter() {
  local started
  heading "$1"
  started=$(milliseconds)
  "$2"
  aside "  $(duration $(($(milliseconds) - started)))"
}

begin_operator() {
  local started
  heading "Starting the operator, as ServiceAccount espejote-controller-manager"
  started=$(milliseconds)
  start_operator
  expect "it is ready" operator_ready
  aside "  $(duration $(($(milliseconds) - started))), $(operator_memory) of memory"
}

show_identity() {
  heading "What it may do by itself"
  may "get tokens of ServiceAccounts" yes create serviceaccounts --subresource token
  may "read Secrets" no list secrets
  may "write Secrets" no patch secrets
  note "  Whatever a ManagedResource reads or writes is done with the rights of its own ServiceAccount."
}

# may TEXT ANSWER VERB RESOURCE...: asks the API server about the operator, anywhere in the cluster.
may() {
  local text=$1 expected=$2 answer
  shift 2
  answer=$(kubectl auth can-i "$@" --all-namespaces \
    --as system:serviceaccount:espejote-system:espejote-controller-manager 2>/dev/null) || true
  [[ $answer == "$expected" ]] || die "  ✗ may it $text? \"$answer\", and it should be \"$expected\""
  printf '  %-32s %s\n' "$text?" "$answer"
}

show_disable_default_sources() {
  local example=examples/disable-default-sources
  heading "The smallest real manifest: OpenShift's default catalog sources, switched off"
  kubectl apply --server-side --filename "$example/crd.yaml" >/dev/null
  kubectl wait --for=condition=Established --timeout=30s --all customresourcedefinitions >/dev/null
  kubectl create namespace openshift-marketplace >/dev/null
  kubectl apply --filename "$example/operatorhub.yaml" >/dev/null
  follow hub operatorhubs.config.openshift.io '{.object.metadata.name} disabled={.object.spec.disableAllDefaultSources}'
  expect "the object is there, with the sources enabled" seen_line hub 'ADDED cluster'
  kubectl apply --filename "$example/rbac.yaml" >/dev/null
  mark_log
  kubectl apply --filename "$example/managed-resource.yaml" >/dev/null
  aside "  kubectl apply --filename $example/managed-resource.yaml"
  expect "spec.disableAllDefaultSources is true" seen_line hub 'cluster disabled=true'
  expect "the ManagedResource is ready" ready openshift-marketplace disable-default-sources
  show_runs
}

seen_line() { [[ -n $(seen "$1" "$2") ]]; }
