# shellcheck shell=bash
# What scripts say to a person. Sourced, never run. Colours only on a terminal.

if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' cyan=$'\e[36m' plain=$'\e[0m'
else
  bold='' dim='' red='' green='' cyan='' plain=''
fi

heading() { printf '\n%s%s%s\n' "$bold$cyan" "$*" "$plain"; }
note() { printf '%s\n' "$*"; }
aside() { printf '%s%s%s\n' "$dim" "$*" "$plain"; }
success() { printf '%s%s%s\n' "$green" "$*" "$plain"; }

# die TEXT...: says why, on stderr, and ends the script.
die() {
  printf '%s%s%s\n' "$red" "$*" "$plain" >&2
  exit 1
}

# milliseconds: the time now.
milliseconds() { printf '%s' $((${EPOCHREALTIME/[.,]/} / 1000)); }

# duration MILLISECONDS: as a person reads it, such as "80 ms", "4.2 s" or "3 min 05 s".
duration() {
  local -i ms=$1
  if ((ms < 1000)); then
    printf '%d ms' "$ms"
  elif ((ms < 60000)); then
    printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
  else
    printf '%d min %02d s' $((ms / 60000)) $((ms / 1000 % 60))
  fi
}
