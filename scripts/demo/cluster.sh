# shellcheck shell=bash
# The control plane of the demo, and what is asked of it. Sourced by the scripts beside it, which set what is not set here.
# shellcheck disable=SC2154

readonly demo_folder=$CARGO_TARGET_DIR/demo
readonly plane=$demo_folder/plane
export KUBECONFIG=$plane/kubeconfig

# build_everything: the operator and the control plane, in seconds if nothing has changed.
build_everything() {
  scripts/setup
  quiet=--quiet build_programs
  controlplane=$(tests/controlplane/build)
}

# plane_runs: whether the control plane of an earlier `make demo-up` is still there.
plane_runs() { [[ -e $plane/endpoints.json ]] && kubectl get --raw /readyz >/dev/null 2>&1; }

start_cluster() {
  rm -rf "$demo_folder"
  mkdir -p "$demo_folder"
  "$controlplane" up --detach --dir "$plane" >/dev/null
}

stop_cluster() {
  if [[ -d $plane ]]; then
    : "${controlplane:=$(tests/controlplane/build 2>/dev/null)}"
    "$controlplane" down --dir "$plane" >/dev/null 2>&1 || true
  fi
}

kubectl() { "${controlplane:-$(tests/controlplane/build 2>/dev/null)}" kubectl "$@"; }

# follow NAME RESOURCE JSONPATH [ARG...]: writes each change of a kind to a file, with the time at which a bystander sees
# it: "microseconds EVENT …". JSONPATH is of the object.
follow() {
  local name=$1 resource=$2 path=$3
  shift 3
  # The binary itself and not the function: so that it is this process that ends when the demo ends it.
  "$controlplane" kubectl get "$resource" "$@" --watch --output-watch-events \
    --output jsonpath="{.type} $path{\"\\n\"}" 2>/dev/null > >(
    while read -r line; do printf '%s %s\n' "${EPOCHREALTIME/[.,]/}" "$line"; done >"$demo_folder/$name.seen"
  ) &
  followers+=($!)
}
followers=()

stop_following() {
  local follower
  for follower in "${followers[@]}"; do kill "$follower" 2>/dev/null || true; done
  followers=()
}

# seen NAME PATTERN: the lines of a followed kind that match, oldest first.
seen() { grep --extended-regexp "$2" "$demo_folder/$1.seen" 2>/dev/null || true; }
