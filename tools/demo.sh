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

say "One request: the plan complex_dag ranks for user 1. plans/complex_dag.plan.ts is its source"
show_and_run "echo '{\"user_id\": 1, \"limit\": 3}' | engine/bin/rankd --plan_name complex_dag --format text"
say "Programs get the same as JSON"
show_and_run "echo '{\"user_id\": 1, \"limit\": 1}' | engine/bin/rankd --plan_name complex_dag"
say "Why is an item in the answer, or not? Ask by its id"
show_and_run "echo '{\"user_id\": 1, \"limit\": 1, \"explain\": {\"ids\": [1100, 895, 7]}}' | engine/bin/rankd --plan_name complex_dag --format text"
say "Where did the time go? The slowest of some hundred traced requests"
runs="$(mktemp)"
trap 'rm -f "$runs"' EXIT
show_and_run "engine/bin/rankd bench --plan_name complex_dag --count 100 --dump-run-trace $runs >/dev/null; engine/bin/rankd trace $runs"
say "The same over HTTP, with metrics"
demo_server
say "Besides requests: a resident graph. Its picture, a run in virtual time, and why one of its parts did not run"
show_and_run "engine/bin/topoexec graph render examples/graphs/greenhouse.yaml"
show_and_run "engine/bin/topoexec graph run examples/graphs/greenhouse.yaml --virtual-time --duration-ms 100"
show_and_run "engine/bin/topoexec graph why examples/graphs/greenhouse.yaml window --epoch 1"
say "Next: a plan of your own"
cat <<'NEXT'
    $ export PATH="$PWD/dsl/bin:$PWD/engine/bin:$PATH"
    $ dslc init ../my-plans && cd ../my-plans
    $ echo '{"user_id": 1}' | rankd --plan_name home --format text
Its README.md is a tour of ten minutes. All pages: docs/README.md; the scheduler as a library: examples/.
NEXT
