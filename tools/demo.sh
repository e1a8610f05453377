#!/usr/bin/env bash
# Shows the product on embedded data; ./dev demo builds what it needs and then runs this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Starts a server on a free port, asks it with curl, and ends it.
demo_server() {
  local log address server code=0
  log="$(mktemp)"
  printf '    $ %s\n' 'engine/bin/rankd serve --port 0 &'
  engine/bin/rankd serve --port 0 --log_format json --set drain.notice=0s 2>"$log" &
  server=$!
  while ! address="$(grep -o '"address":"[^"]*"' "$log" | head -1 | cut -d'"' -f4)" || [[ -z $address ]]; do
    kill -0 "$server" 2>/dev/null || { cat "$log" >&2; fail "the server did not start"; }
    sleep 0.05
  done
  show_and_run "curl -s http://$address/v1/rank/complex_dag -d '{\"user_id\": 1, \"limit\": 3}'; echo"
  show_and_run "curl -s http://$address/metrics | grep -E '^rankd_(build_info|admission_limit|requests_total.*complex_dag.*ok)' | head -3"
  printf '    $ kill -TERM %s\n' "$server"
  kill -TERM "$server"
  wait "$server" || code=$?
  rm -f "$log"
  ((code == 0)) || fail "the server ended with $code"
}
show_and_run() {
  printf '    $ %s\n' "$1"
  bash -o pipefail -c "$1"
}

say "plans/complex_dag.plan.json for user 1, best three"
show_and_run "echo '{\"user_id\": 1, \"limit\": 3}' | engine/bin/rankd --plan_name complex_dag"
say "what the compiler made of it"
show_and_run "engine/bin/rankd explain complex_dag"
for example in first_flow feed flow_in_flow future budget draw_flow for_each; do
  say "examples/$example.cpp"
  # The comment that opens an example says what it shows.
  sed -n '/^\/\//!q; s/^\/\/ \{0,1\}/    /p' "examples/$example.cpp"
  "build/release/examples/$example"
done
say "a resident graph: its picture, a run in virtual time, and why one component did not run"
show_and_run "engine/bin/topoexec graph render examples/graphs/greenhouse.yaml"
show_and_run "engine/bin/topoexec graph run examples/graphs/greenhouse.yaml --virtual-time --duration-ms 100"
show_and_run "engine/bin/topoexec graph why examples/graphs/greenhouse.yaml window --epoch 1"
say "ranking over HTTP"
demo_server
say "Next: a plan of your own in five minutes, docs/guides/first-plan.md. All pages: docs/README.md."
