#!/usr/bin/env bash
# What ./dev fuzz does once the targets are built: fuzz.sh [NAME] [--seconds=N].
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly FOLDER=build/fuzz/tests/fuzz

usage_error() { printf 'error: %s\n' "$*" >&2; exit 2; }

known_fuzzers() {
  if [[ -d $FOLDER ]]; then
    find "$FOLDER" -maxdepth 1 -type f -executable -printf '%f\n' | sort
  fi
}

# New inputs go to the first folder, inputs kept in the tree are read from the second.
run_fuzzer() {
  local name="$1" seconds="$2" corpus=("build/fuzz/corpus/$1")
  if [[ -d tests/fuzz/corpus/$name ]]; then corpus+=("tests/fuzz/corpus/$name"); fi
  mkdir -p "${corpus[0]}"
  printf '==> fuzz %s for %s s\n' "$name" "$seconds"
  "$FOLDER/$name" -max_total_time="$seconds" -print_final_stats=1 "${corpus[@]}"
}

main() {
  local name='' seconds=60 argument fuzzer
  for argument in "$@"; do
    case "$argument" in
      --seconds=*) seconds="${argument#*=}" ;;
      -*) usage_error "unknown option '$argument'; see ./dev help fuzz" ;;
      *) name="$argument" ;;
    esac
  done
  [[ $seconds =~ ^[0-9]+$ ]] || usage_error "--seconds= needs a number"
  [[ -z $name || -x $FOLDER/$name ]] || usage_error "unknown fuzzer '$name'; there are:
$(known_fuzzers)"
  for fuzzer in ${name:-$(known_fuzzers)}; do
    run_fuzzer "$fuzzer" "$seconds"
  done
}

main "$@"
