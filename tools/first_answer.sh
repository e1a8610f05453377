#!/usr/bin/env bash
# How long a newcomer waits: clones the repository, runs ./dev demo, makes a project and ranks a request with it.
# Prints the times and judges nothing. Packages are expected to be there.
#     tools/first_answer.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
began="$EPOCHREALTIME"

# since TIME: seconds since then.
since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'; }
row() { printf '  %-46s %8s s\n' "$1" "$2"; }

echo "From a clone to an answer of one's own, on $(nproc) processors:"
git clone --quiet --no-local . "$place/millrace"
row "clone" "$(since "$began")"
cd "$place/millrace"
step="$EPOCHREALTIME"
./dev demo >"$place/demo.log" 2>&1 || { tail -20 "$place/demo.log"; exit 1; }
row "./dev demo" "$(since "$step")"
export PATH="$PWD/dsl/bin:$PWD/engine/bin:$PATH"
cd "$place"
step="$EPOCHREALTIME"
dslc init my-plans >/dev/null
row "dslc init" "$(since "$step")"
cd my-plans
sed -i 's/name: "home"/name: "mine"/' plans/home.plan.ts
dslc build >/dev/null
answer="$(echo '{"user_id": 1, "limit": 1}' | rankd --root . --plan_name mine)"
row "an own plan, built and asked" "$(since "$step")"
row "all of it (aim: at most 300)" "$(since "$began")"
echo "  $answer"
