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
  show_admission
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
  kubectl apply --filename scripts/demo/manifests/operatorhub.yaml >/dev/null
  follow hub operatorhubs.config.openshift.io \
    '{.object.metadata.name} disabled={.object.spec.disableAllDefaultSources}'
  follow managed managedresources '{.object.metadata.namespace}/{.object.metadata.name}' --all-namespaces
  expect "OperatorHub cluster is there, with the sources enabled" seen_line hub 'ADDED cluster disabled=$'
  kubectl apply --filename "$example/rbac.yaml" >/dev/null
  mark_log
  apply_example "$example/manifest.yaml"
  expect "spec.disableAllDefaultSources is true" seen_line hub 'cluster disabled=true'
  expect "the ManagedResource is Ready" ready openshift-marketplace disable-default-sources
  show_latency "from the ManagedResource to the changed object" \
    "$(first managed 'ADDED openshift-marketplace/')" "$(first hub 'cluster disabled=true')"
  show_runs
}

show_secret_sync() {
  local example=examples/secret-sync team
  heading "A Secret for every namespace that asks for it"
  kubectl create namespace secret-sync >/dev/null
  for team in red green blue yellow purple; do create_team "$team"; done
  create_source first
  follow secrets secrets '{.object.metadata.namespace}/{.object.metadata.name} {.object.data.password}' \
    --all-namespaces --field-selector metadata.name=registry
  expect "the source is there; five namespaces have the label; no copy yet" seen_line secrets 'secret-sync/registry'
  kubectl apply --filename "$example/rbac.yaml" >/dev/null
  mark_log
  apply_example "$example/manifest.yaml"
  expect "each of the five namespaces has its copy" at_least 5 secrets "$(copies_of first)"
  expect "the ManagedResource is Ready" ready secret-sync secret-sync
  show_latency "from the ManagedResource to the fifth copy" \
    "$(first managed 'ADDED secret-sync/')" "$(last secrets "$(copies_of first)")"
  show_runs
}

show_source_change() {
  heading "The source changes: a new password"
  mark_log
  create_source second
  expect "all five copies have it" at_least 5 secrets "$(copies_of second)"
  show_latency "from the changed source to the fifth copy" \
    "$(first secrets "secret-sync/registry $(encoded second)")" "$(last secrets "$(copies_of second)")"
  quiet
  show_runs
}

show_new_namespace() {
  heading "A new namespace: team-orange"
  follow namespaces namespaces '{.object.metadata.name}' --selector secret-sync.example.com/receive=yes
  expect "five namespaces have the label" at_least 5 namespaces ADDED
  mark_log
  create_team orange
  expect "it has its copy" seen_line secrets "team-orange/registry $(encoded second)"
  show_latency "from the namespace to its copy" \
    "$(first namespaces 'ADDED team-orange')" "$(first secrets 'team-orange/registry')"
  quiet
  show_runs
  aside "  One namespace, one write: the template asks which object triggered it."
}

show_admission() {
  heading "What the API server asks: ConfigMaps of team-red need an owner"
  apply_example scripts/demo/manifests/owned.yaml
  expect "one without the label is refused" is_refused
  aside "  $(create_settings)"
  expect "one with the label is not" is_owned
}

# create_settings [LABEL]: what the API server says to a ConfigMap; nothing is stored.
create_settings() {
  kubectl create --dry-run=server --filename - 2>&1 <<CONFIG_MAP || true
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: team-red
  labels: {$*}
CONFIG_MAP
}

is_refused() { [[ $(create_settings) == *'denied the request: say who owns it'* ]]; }
is_owned() { [[ $(create_settings 'owner: red') == *'configmap/settings created'* ]]; }

show_end() {
  heading "How it stands"
  expect "both ManagedResources are Ready" all_ready
  kubectl get managedresources --all-namespaces | sed 's/^/  /'
  note "  The operator uses $(operator_memory) of memory. What it holds:"
  fetch "$(<"$operator_folder/metrics")" | sed --quiet 's/^espejote_cached_objects/    espejote_cached_objects/p'
}

what_to_try() {
  heading "It goes on running. To try:"
  cat <<TRY
  export KUBECONFIG=$KUBECONFIG
  alias kubectl='$controlplane kubectl'
  alias espejote='$operator'

  kubectl get managedresources --all-namespaces --output wide
  kubectl get secrets --all-namespaces --selector secret-sync.example.com/copy=yes
  kubectl label namespace team-red secret-sync.example.com/receive-          # its copy goes
  kubectl delete clusterrolebinding secret-sync                              # then label a namespace, and see the status
  kubectl edit managedresource secret-sync --namespace secret-sync           # break the template
  tail -f $operator_log
  curl $(<"$operator_folder/metrics")

  make demo-down                                                             # end it
TRY
}

apply_example() {
  kubectl apply --filename "$1" >/dev/null
  aside "  kubectl apply --filename $1"
}

create_team() {
  kubectl create --filename - >/dev/null <<NAMESPACE
apiVersion: v1
kind: Namespace
metadata:
  name: team-$1
  labels: {secret-sync.example.com/receive: "yes"}
NAMESPACE
}

# create_source PASSWORD: creates or changes it.
create_source() {
  kubectl apply --filename - >/dev/null <<SECRET
apiVersion: v1
kind: Secret
metadata:
  name: registry
  namespace: secret-sync
  labels: {secret-sync.example.com/replicate: "yes"}
stringData: {password: $1}
SECRET
}

encoded() { printf '%s' "$1" | base64; }

copies_of() { printf 'team-[a-z]+/registry %s' "$(encoded "$1")"; }

seen_line() { [[ -n $(seen "$1" "$2") ]]; }

# The first and the last line of a followed kind that match.
first() { seen "$1" "$2" | head -n 1; }
last() { seen "$1" "$2" | tail -n 1; }

# show_latency TEXT FIRST LAST: the time between two lines, as a bystander with a watch sees it. Two watches are not more
# exact than a few milliseconds.
show_latency() {
  local -i between=$(((${3%% *} - ${2%% *}) / 1000))
  if ((between < 5)); then
    note "  ${bold}a few ms$plain $1"
  else
    note "  $bold$(duration "$between")$plain $1"
  fi
}

# quiet: gives the operator's log the time to be written.
quiet() { sleep 0.3; }

all_ready() {
  [[ $(kubectl get managedresources --all-namespaces --output jsonpath='{.items[*].status.status}') == "Ready Ready" ]]
}
