# What `./dev test --long` runs; ./dev reads this.

# What takes long, in the order in which it runs: what fails soonest comes first. To add one, write a
# function and name it here.
readonly LONG_RUNS=(long_docs long_deadlines long_fuzz long_seeds long_server long_soak long_graphs long_faults
                    long_jobs long_tsan)

long_docs() {
  tools/setup.sh browser && verb_docs && python3 tools/docs_browser.py build/site/html
}
long_deadlines() {
  build_targets dev deadlines_test &&
    MILLRACE_DEADLINE_REQUESTS="${MR_DEADLINE_REQUESTS:-100000}" build/dev/tests/deadlines/deadlines_test
}
long_fuzz() { build_targets fuzz tests_fuzz && tools/fuzz.sh --seconds="${MR_FUZZ_SECONDS:-300}"; }
long_seeds() {
  build_targets release sim && build/release/tests/sim/sim --seeds "${MR_SIM_SEEDS:-1000000}"
}
long_server() {
  build_targets release server_sim &&
    build/release/tests/server_sim/server_sim --seeds "${MR_SERVER_SEEDS:-50000}" &&
    build_targets release server_sim_test &&
    MILLRACE_OVERLOAD_SEEDS="${MILLRACE_OVERLOAD_SEEDS:-100}" \
      build/release/tests/server_sim/server_sim_test --gtest_filter='ServerOverloadTest.*' &&
    build_targets release bench_serve &&
    build/release/bench/bench_serve --only instructions --enforce
}
long_soak() {
  build_targets release rankd &&
    python3 tools/soak.py --rankd build/release/engine/apps/rankd --seconds "${MR_SOAK_SECONDS:-600}"
}
long_graphs() {
  build_targets release graph_comparison_test &&
    MILLRACE_GRAPH_SEEDS="${MILLRACE_GRAPH_SEEDS:-100000}" \
      build/release/tests/graphs/graph_comparison_test &&
    build_targets release graph_threads_test &&
    MILLRACE_THREAD_SEEDS="${MILLRACE_THREAD_SEEDS:-1000}" \
      build/release/tests/graphs/graph_threads_test &&
    build_targets release graph_memory_test &&
    MILLRACE_GRAPH_EPOCHS="${MILLRACE_GRAPH_EPOCHS:-10000000}" \
      build/release/tests/graphs/graph_memory_test &&
    build_targets release bench_graph &&
    build/release/bench/bench_graph --only trace --enforce
}
long_faults() {
  build_targets dev redis_live_test &&
    MILLRACE_FAULT_REQUESTS="${MILLRACE_FAULT_REQUESTS:-100000}" \
      build/dev/tests/redis/redis_live_test --gtest_filter='FaultsTest.*'
}
long_jobs() {
  build_targets dev nats_batch_test &&
    MILLRACE_BATCH_LINES="${MILLRACE_BATCH_LINES:-100000}" \
      build/dev/tests/nats/nats_batch_test
}
long_tsan() {
  build_targets tsan && run_tests tsan && python3 tools/test_summary.py build/tsan
}

# test_long: every long run counts as one test, and the others still run when one fails.
test_long() {
  local report=build/long/tests.tap run number=0
  rm -rf build/long
  mkdir -p build/long
  for run in "${LONG_RUNS[@]}"; do
    number=$((number + 1))
    say "long run $number of ${#LONG_RUNS[@]}: $run"
    timed "$run" note_outcome "$report" "$number - $run" "$run"
  done
  echo "1..$number" >>"$report"
  summarise build/long
}
