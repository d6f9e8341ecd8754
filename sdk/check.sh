# shellcheck shell=bash
# What the programs sdk/<language>/check have in common: they make a project of the template, build plugins by the language's
# toolchain/build as `espejote plugin build` does, and compare what comes out of the real engine. Sourced, never run.
#
#   ESPEJOTE            the operator's program; default release/espejote in the target folder
#   ESPEJOTE_TOOLCHAIN  where the language's toolchain is or will be; default toolchains/<language> in the target folder

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}

say() { printf '%s: %s\n' "${language:-sdk}" "$*" >&2; }
die() { say "$*"; exit 1; }

# start_check LANGUAGE: sets everything up, and a scratch folder that goes at the end.
start_check() {
  language=$1
  sdk=$repository/sdk/$language
  export ESPEJOTE=${ESPEJOTE:-$target/release/espejote}
  export ESPEJOTE_TOOLCHAIN=${ESPEJOTE_TOOLCHAIN:-$target/toolchains/$language}
  [[ -x $ESPEJOTE ]] || die "there is no $ESPEJOTE: make build, or set ESPEJOTE"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  mkdir -p "$ESPEJOTE_TOOLCHAIN"
  "$sdk/toolchain/setup"
}

# world_of ROLE: the contract's world for a role.
world_of() {
  case $1 in
    reconcile) printf reconciler ;;
    admit) printf admitter ;;
    provide) printf provider ;;
    configuration) printf configurable ;;
    *) die "there is no role $1" ;;
  esac
}

# write_world FOLDER ROLE...: the contract, with a world for these roles.
write_world() {
  local folder=$1 role
  shift
  mkdir -p "$folder"
  cp "$repository"/wit/*.wit "$folder"
  {
    printf 'package espejote:plugin@0.1.0;\n\nworld plugin {\n'
    for role; do printf '    include %s;\n' "$(world_of "$role")"; done
    printf '}\n'
  } >"$folder/world.wit"
}

# field PROJECT NAME: a text in its plugin.toml.
field() { sed -n "s/^$2 *= *\"\(.*\)\"/\1/p" "$1/plugin.toml"; }

# roles PROJECT: those in its plugin.toml, one a line.
roles() { sed -n 's/^roles *= *\[\(.*\)\]/\1/p' "$1/plugin.toml" | tr -d '" ' | tr ',' '\n'; }

# build_plugin PROJECT OUT: a component, by the language's toolchain/build.
build_plugin() (
  local started=$SECONDS wanted
  mapfile -t wanted < <(roles "$1")
  write_world "$scratch/wit-${2##*/}" "${wanted[@]}"
  export ESPEJOTE_WIT=$scratch/wit-${2##*/} ESPEJOTE_SDK=${ESPEJOTE_SDK:-$sdk}
  PLUGIN_NAME=$(field "$1" name) PLUGIN_ROLES=${wanted[*]} PLUGIN_OUT=$2
  export PLUGIN_NAME PLUGIN_ROLES PLUGIN_OUT
  cd "$1" || exit
  "$sdk/toolchain/build"
  say "$PLUGIN_NAME: $(wc -c <"$2") bytes, built in $((SECONDS - started)) s"
)

# new_project NAME [ROLE]: a project of the template in the scratch folder, with the SDK vendored, as `espejote plugin new` makes
# it.
new_project() {
  local project=$scratch/$1 file
  cp -r "$sdk/template" "$project"
  if [[ $# -gt 1 ]]; then
    rm -rf "$project/tests"
    cp -r "$sdk/roles/$2/." "$project"
  fi
  mkdir -p "$project/vendor"
  cp -r "$sdk" "$project/vendor/espejote-sdk"
  rm -rf "$project/vendor/espejote-sdk/template" "$project/vendor/espejote-sdk/roles"
  while IFS= read -r file; do
    sed -i -e "s/{{name}}/$1/g" -e "s/{{name_snake}}/${1//-/_}/g" "$file"
    if [[ $file == *.in ]]; then mv "$file" "${file%.in}"; fi
  done < <(find "$project" -path "$project/vendor" -prune -o -type f -print)
}

# render FOLDER COMPONENT [INPUT]: what the component makes of the manifest there.
render() {
  "$ESPEJOTE" render "$1/manifest.yaml" --input "${3:-$1/input.yaml}" --plugin "$2" \
    --plugin-cache-dir "$target/toolchains/compiled"
}

# expect EXPECTED COMMAND...: that the command prints what the file says, as one verdict.
expect() {
  local expected=$1 what
  what=${expected#"$repository/"}
  what=${what#"$scratch/"}
  shift
  if ! "$@" | diff "$expected" -; then
    printf -- '--- FAIL: %s: %s\n' "$language" "$what"
    exit 1
  fi
  printf -- '--- PASS: %s: %s\n' "$language" "$what"
}

# expect_role COMPONENT ROLE: that it has the role, and fits the contract.
expect_role() {
  local inspected
  inspected=$("$ESPEJOTE" plugin inspect "$1")
  if ! grep --quiet --extended-regexp "^roles? .*\b$2\b" <<<"$inspected"; then
    printf -- '--- FAIL: %s: a project of the role %s: %s\n' "$language" "$2" "$inspected"
    exit 1
  fi
  printf -- '--- PASS: %s: a project of the role %s\n' "$language" "$2"
}

# expect_same ONE OTHER WHAT: that two files are equal.
expect_same() {
  cmp "$1" "$2" || { printf -- '--- FAIL: %s: %s\n' "$language" "$3"; exit 1; }
  printf -- '--- PASS: %s: %s\n' "$language" "$3"
}

# check_generated: that the bindings are what wit/ says, if the program that makes them is there in the version they are of.
check_generated() {
  local version
  version=$(sed -n 's/^readonly version=//p' "$sdk/generate")
  if [[ $("${WIT_BINDGEN:-wit-bindgen}" --version 2>/dev/null) != "wit-bindgen-cli $version" ]]; then
    say "bindings not compared with wit/: that needs wit-bindgen-cli $version (WIT_BINDGEN)"
    return
  fi
  "$sdk/generate" --check
  printf -- '--- PASS: %s: the bindings are what wit/ says\n' "$language"
}

# probe CASE [INPUT]: what the probe in the scratch folder says of this case, its failure included.
probe() {
  "$ESPEJOTE" render "$repository/sdk/probe/manifest.yaml" --input "${2:-$repository/sdk/probe/input.yaml}" \
    --plugin "$scratch/probe.wasm" --config "{\"case\": \"$1\"}" --plugin-cache-dir "$target/toolchains/compiled" 2>&1 || true
}

# expect_says TEXT CASE [INPUT]: that the probe says this of a case.
expect_says() {
  local text=$1 said
  shift
  said=$(probe "$@")
  if [[ $said != *"$text"* ]]; then
    printf -- '--- FAIL: %s: probe %s: expected "%s" in: %s\n' "$language" "$1" "$text" "$said"
    exit 1
  fi
  printf -- '--- PASS: %s: probe %s: %s\n' "$language" "$1" "${text%%$'\n'*}"
}

# large_input: 1,000 objects of 5 KB each.
large_input() {
  printf 'triggers:\n- {}\ncontext:\n- name: objects\n  resources:\n'
  awk 'BEGIN {
    text = sprintf("%5000s", ""); gsub(" ", "x", text)
    for (i = 0; i < 1000; i++)
      printf "  - {apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: lab}, data: {text: %s}}\n", i, text
  }'
}
