#!/usr/bin/env bash
# How long a newcomer waits: clones the repository, runs ./dev demo, makes a project and ranks a request with a plan
# of its own. Prints the times and does not judge them, because they are those of this machine and its load; what
# does not work fails. Packages are expected to be there, and the state that is committed is what is cloned.
#     tools/first_answer.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
began="$EPOCHREALTIME"

# since TIME: seconds since then.
since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'; }
row() { printf '  %-52s %8s s\n' "$1" "$2"; }
# compiled: how many files were compiled for want of a cached result, as ccache counts.
compiled() { ccache --print-stats 2>/dev/null | awk '$1 == "cache_miss" { print $2 }'; }

echo "From a clone to an answer of one's own, on $(nproc) processors with a load of $(cut -d' ' -f1 /proc/loadavg):"
git clone --quiet --no-local . "$place/millrace"
row "clone" "$(since "$began")"
cd "$place/millrace"
step="$EPOCHREALTIME"
before="$(compiled)"
./dev demo >"$place/demo.log" 2>&1 || { tail -20 "$place/demo.log"; exit 1; }
row "./dev demo" "$(since "$step")"
after="$(compiled)"
export PATH="$PWD/dsl/bin:$PWD/engine/bin:$PATH"
cd "$place"
step="$EPOCHREALTIME"
dslc init my-plans >/dev/null
row "dslc init, the first use of dslc (aim: at most 60)" "$(since "$step")"
cd my-plans
step="$EPOCHREALTIME"
sed -i 's/name: "home"/name: "mine"/' plans/home.plan.ts
dslc build >/dev/null 2>"$place/build.log" || { cat "$place/build.log"; exit 1; }
answer="$(echo '{"user_id": 1, "limit": 1}' | rankd --plan_name mine)"
row "an own plan, built and asked" "$(since "$step")"
row "all of it (aim: at most 300)" "$(since "$began")"
objects="$(find "$place/millrace/build/release" -name '*.o' | wc -l)"
echo "  $objects files were compiled; of all that was compiled here meanwhile, $((${after:-0} - ${before:-0})) were not in the cache"
echo "  $answer"
