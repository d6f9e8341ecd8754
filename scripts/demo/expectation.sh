# shellcheck shell=bash
# Waiting for what should happen, and saying whether it did. Sourced by the scripts beside it, which set what is not set here.
# shellcheck disable=SC2154

readonly deadline_seconds=60

# expect TEXT COMMAND...: waits until the command succeeds, and ends the demo if it does not in time.
expect() {
  local text=$1 started
  shift
  started=$(milliseconds)
  until "$@"; do
    if (($(milliseconds) - started > deadline_seconds * 1000)); then not_happened "$text"; fi
    sleep 0.02
  done
  success "  ✓ $text"
}

# not_happened TEXT: with what helps to find out why.
not_happened() {
  {
    printf '%s  ✗ not within %d s: %s%s\n\n' "$red" "$deadline_seconds" "$1" "$plain"
    kubectl get managedresources --all-namespaces --output wide || true
    printf '\nThe end of %s:\n' "$operator_log"
    tail -n 20 "$operator_log" || true
  } >&2
  exit 1
}

# at_least N NAME PATTERN: whether so many different objects that match have been seen.
at_least() {
  local -i wanted=$1
  (($(seen "$2" "$3" | cut -d ' ' -f 3 | sort --unique | wc -l) >= wanted))
}

ready() { [[ $(kubectl get managedresource "$2" --namespace "$1" --output jsonpath='{.status.status}' 2>/dev/null) == Ready ]]; }
