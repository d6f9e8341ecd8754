# shellcheck shell=bash
# A control plane of a script's own with the operator in it, as its ServiceAccount; both end with the script. Sourced after
# environment.sh, never run.
# shellcheck disable=SC2154

readonly deadline_seconds=120
# Another program than the one in the target folder, as for the end-to-end tests.
operator=${ESPEJOTE_BIN:-$operator}
# Further arguments of the operator.
operator_arguments=(--enable-dynamic-admission-webhook=false)
operator_pid=

# begin: sets $controlplane, $folder, KUBECONFIG of an administrator.
begin() {
  [[ -x $operator ]] || die "there is no $operator: make build"
  controlplane=$(tests/controlplane/build)
  folder=$(mktemp -d)
  trap finish EXIT
  trap 'exit 130' INT TERM HUP
  export KUBECONFIG=$folder/plane/kubeconfig
  "$controlplane" up --detach --dir "$folder/plane" >/dev/null
}

finish() {
  stop_operator
  "$controlplane" down --dir "$folder/plane" >/dev/null 2>&1 || true
  rm -rf "$folder"
}

kubectl() { "$controlplane" kubectl "$@"; }

# endpoint FIELD: what the control plane says of itself.
endpoint() {
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$folder/plane/endpoints.json" "$1"
}

passed() { printf -- '--- PASS: %s: %s\n' "${0##*/}" "$1"; }

# free_port: one of this machine that nobody listens on.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# failed TEXT: shows where things stand, and ends the script.
failed() {
  kubectl get configmaps,managedresources,plugins,admissions,clusteradmissions --all-namespaces --show-managed-fields --output yaml >&2 || true
  tail -n 20 "$folder/operator.log" >&2 || true
  printf -- '--- FAIL: %s: %s\n' "${0##*/}" "$1"
  exit 1
}

# must TEXT COMMAND...
must() { if "${@:2}"; then passed "$1"; else failed "$1"; fi; }

# eventually TEXT COMMAND...: waits until the command succeeds.
eventually() {
  local started
  started=$(milliseconds)
  until "${@:2}" >/dev/null 2>&1; do
    if (($(milliseconds) - started > deadline_seconds * 1000)); then failed "$1"; fi
    sleep 0.05
  done
  passed "$1"
}

# install_operator: its definitions and rights, and the kubeconfig of its ServiceAccount.
install_operator() {
  local config=(config --kubeconfig "$folder/operator.kubeconfig")
  kubectl apply --server-side --force-conflicts --kustomize crds >/dev/null 2>"$folder/warnings"
  kubectl apply --server-side --kustomize deploy/rbac >/dev/null
  kubectl wait --for=condition=Established --timeout=30s --all customresourcedefinitions >/dev/null
  {
    kubectl "${config[@]}" set-cluster plane --server "$(endpoint apiServer)" --certificate-authority "$(endpoint caFile)"
    kubectl "${config[@]}" set-credentials operator \
      --token "$(kubectl create token espejote-controller-manager --namespace espejote-system)"
    kubectl "${config[@]}" set-context plane --cluster plane --user operator --namespace espejote-system
    kubectl "${config[@]}" use-context plane
  } >/dev/null
}

# start_operator: with what install_operator has given it, and $operator_arguments.
start_operator() {
  KUBECONFIG=$folder/operator.kubeconfig POD_NAMESPACE=espejote-system "$operator" controller \
    --metrics-bind-address=0 --health-probe-bind-address=0 \
    --plugin-cache-dir="$CARGO_TARGET_DIR/trial-plugins" "${operator_arguments[@]}" </dev/null >>"$folder/operator.log" 2>&1 &
  operator_pid=$!
}

stop_operator() {
  if [[ -n $operator_pid ]]; then
    kill "$operator_pid" 2>/dev/null || true
    wait "$operator_pid" 2>/dev/null || true
    operator_pid=
  fi
}
