# shellcheck shell=bash
# The operator of the demo: a process of this machine, with the rights of its own ServiceAccount and no others. Sourced by
# the scripts beside it.
# shellcheck disable=SC2154

readonly operator_folder=$demo_folder/operator
readonly operator_log=$operator_folder/log

install_operator() {
  kubectl apply --server-side --filename crds >/dev/null
  kubectl apply --server-side --kustomize deploy/rbac >/dev/null
  kubectl wait --for=condition=Established --timeout=30s --all customresourcedefinitions >/dev/null
  kubectl apply --server-side --filename deploy/contrib-library.yaml >/dev/null
}

# write_operator_kubeconfig: its token, and the certificate authority that it trusts.
write_operator_kubeconfig() {
  local config=(config --kubeconfig "$operator_folder/kubeconfig")
  mkdir -p "$operator_folder"
  (umask 077 && kubectl create token espejote-controller-manager --namespace espejote-system --duration 24h \
    >"$operator_folder/token")
  {
    kubectl "${config[@]}" set-cluster demo --server "$(endpoint apiServer)" \
      --certificate-authority "$(endpoint caFile)" --embed-certs
    kubectl "${config[@]}" set users.operator.tokenFile "$operator_folder/token"
    kubectl "${config[@]}" set-context demo --cluster demo --user operator --namespace espejote-system
    kubectl "${config[@]}" use-context demo
  } >/dev/null
}

# endpoint FIELD: what the control plane says of itself.
endpoint() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$plane/endpoints.json" "$1"; }

# free_ports N: ports of this machine that nobody listens on.
free_ports() {
  python3 -c '
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))' "$1"
}

start_operator() {
  write_operator_kubeconfig
  read -r metrics_port probe_port webhook_port < <(free_ports 3)
  # Nothing of this shell's environment: neither an administrator's kubeconfig nor anything else.
  env --ignore-environment PATH=/usr/bin:/bin HOME="$operator_folder" KUBECONFIG="$operator_folder/kubeconfig" \
    POD_NAMESPACE=espejote-system \
    nohup "$operator" controller \
    --metrics-secure=false --metrics-bind-address="127.0.0.1:$metrics_port" \
    --health-probe-bind-address="127.0.0.1:$probe_port" \
    --webhook-bind-address="127.0.0.1:$webhook_port" \
    --dynamic-admission-webhook-url="https://127.0.0.1:$webhook_port" \
    --plugin-cache-dir="$CARGO_TARGET_DIR/demo-plugins" \
    --zap-encoder=json --zap-log-level=debug --zap-time-encoding=rfc3339nano \
    </dev/null >"$operator_log" 2>&1 &
  printf '%s\n' $! >"$operator_folder/pid"
  printf 'http://127.0.0.1:%s/metrics\n' "$metrics_port" >"$operator_folder/metrics"
  disown
}

operator_ready() { fetch "http://127.0.0.1:$probe_port/readyz" >/dev/null 2>&1; }

stop_operator() {
  local pid
  if [[ -e $operator_folder/pid ]]; then
    pid=$(<"$operator_folder/pid")
    # It may be long gone, and its number somebody else's.
    if [[ $(readlink "/proc/$pid/exe" 2>/dev/null) == "$operator"* ]]; then kill "$pid" 2>/dev/null || true; fi
    rm -f "$operator_folder/pid"
  fi
}

# fetch URL: its body.
fetch() { python3 -c 'import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1], timeout=5).read().decode())' "$1"; }

operator_memory() { awk '/^VmRSS:/ { printf "%d MiB", $2 / 1024 }' "/proc/$(<"$operator_folder/pid")/status"; }

# mark_log: from here on show_runs tells.
mark_log() { log_mark=$(stat --format %s "$operator_log"); }

# show_runs: what the operator did since the mark, one line a run.
show_runs() { python3 scripts/demo/runs.py "$operator_log" "$log_mark"; }
