#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "bench/faults/fault_script.h"
#include "bench/faults/phase_report.h"
#include "bench/faults/steady_load.h"
#include "bench/faults/wake_witness.h"
#include "support/figures.h"
#include "tests/redis/checked_load.h"
#include "tests/redis/known_answers.h"
#include "tests/redis/redis_project.h"
#include "tests/redis/redis_server.h"

namespace {

using namespace millrace;              // NOLINT(google-build-using-namespace): this is the program
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// The policy of production endpoints in the shipped registry.
constexpr const char* kPolicy =
    "{ max_inflight = 4096, connections = 4, connect_timeout = '100ms', request_timeout = '250ms' "
    "}";

/// A server with data, an engine on it and the correct answers.
struct World {
  explicit World(int users)
      : data_file(folder.write("known.redis", live::known_data(users))),
        registry(live::write_registry(folder, live::tcp_address(server), kPolicy, data_file)),
        engine(registry, "test", {live::kGuardedPlan}) {
    server.load(data_file);
    const live::RunningEngine embedded(registry, "dev", {live::kGuardedPlan});
    plans = live::known_plans(*embedded.engine, users);
  }
  live::TempFolder folder;
  live::RedisServer server;
  std::string data_file;
  std::string registry;
  live::RunningEngine engine;
  std::vector<live::PlanAnswers> plans;
};

std::vector<bench::Phase> run_script(World& world, base::Duration deadline, bool smoke) {
  bench::ScriptTimes times{.deadline = deadline};
  if (smoke) {
    times = {.healthy = 100ms, .fault = 200ms, .calm = 100ms, .deadline = deadline, .rounds = 1};
  }
  bench::FaultScript script(world.server, world.data_file, times);
  // The first requests are slow because nothing is warm; let them pass before measuring.
  std::this_thread::sleep_for(smoke ? 50ms : 1s);
  std::vector<bench::Phase> phases;
  phases.push_back(script.healthy());
  phases.push_back(script.killed());
  phases.push_back(script.stopped());
  phases.push_back(script.slow());
  return phases;
}

base::Status run(const bench::BenchOptions& options) {
  bench::SteadyOptions settings{.users = options.smoke ? 20 : 500};
  if (options.smoke) settings.requests_per_s = 100;
  World world(settings.users);
  bench::SteadyLoad load(*world.engine.engine, world.plans, settings);
  bench::WakeWitness witness;
  const std::vector<bench::Phase> phases = run_script(world, settings.deadline, options.smoke);
  witness.stop();
  load.stop();

  std::vector<bench::Figure> figures;
  bench::FullSpeed full_speed;
  std::fputs(bench::phase_header().c_str(), stdout);
  std::int64_t wrong = 0;
  for (const bench::Phase& phase : phases) {
    const bench::PhaseReport report =
        bench::report_of(phase, load.samples(), settings.deadline, full_speed);
    if (phase.rounds.empty()) {
      full_speed.median_ms_max = bench::percentile(report.latency_ms, 0.99);
    }
    std::fputs(bench::phase_line(report).c_str(), stdout);
    bench::append_figures(report, figures);
    figures.push_back({.name = phase.name + ": a thread that only sleeps, 99.9 %",
                       .value = bench::percentile(witness.lateness_ms(phase), 0.999),
                       .unit = "ms"});
    wrong += report.wrong;
  }
  if (wrong != 0) {
    return base::fail(base::ErrorCode::kInternal, "An answer was wrong: " + load.first_wrong());
  }
  if (options.smoke) return {};
  std::fputs(("\n" + bench::print_text(figures)).c_str(), stdout);
  return bench::conclude("faults", figures, options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_bench(std::span(arguments, static_cast<std::size_t>(argument_count)), run);
}
