#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metrics_registry.h"
#include "base/random.h"
#include "judge.h"
#include "net/fake_listener.h"
#include "scenario.h"
#include "server/overload/limit_controller.h"
#include "server/readiness.h"
#include "server/serving/serving_loops.h"
#include "sim_client.h"
#include "sim_engine.h"

// The shipped server on one thread in virtual time: `server::ServingLoops` with its listener,
// connections, fronts, batches, plans and limit, on fake loops, streams and stores. Each turn the
// world draws one of all that could happen now and lets it happen; when nothing can, time moves to
// the next thing that will. What happens is judged as it happens.

namespace millrace::server_sim {

/// Threading: not shared. Lifetime: borrows the scenario. A world that found a violation cannot be
/// taken down in order: leave it to the end of the process.
class ServerWorld {
 public:
  explicit ServerWorld(const Scenario& scenario);
  ~ServerWorld();
  ServerWorld(const ServerWorld&) = delete;
  ServerWorld& operator=(const ServerWorld&) = delete;

  /// Lets everything happen. Gives the first statement that was broken, if any.
  [[nodiscard]] std::optional<Violation> run();

  /// A digest of everything that clients got, and when.
  [[nodiscard]] std::uint64_t log_hash() const;
  /// Answers with candidates, over all clients.
  [[nodiscard]] std::uint64_t good_answer_count() const { return facts_.good_answers; }
  /// What the limit was, and how many good answers clients had, from time to time.
  struct Sample {
    base::Duration when{};
    std::int64_t limit = 0;
    std::uint64_t good_answers = 0;
  };
  static constexpr base::Duration kSampleEvery = std::chrono::milliseconds(100);
  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }

 private:
  /// Where a user comes from.
  struct Origin {
    std::size_t client = 0;
    std::size_t ask = 0;
  };

  void start();
  [[nodiscard]] std::unique_ptr<server::ServingLoop> make_loop(std::size_t index);
  void call_on_loop(loop::Loop& loop, const std::function<void()>& function);
  /// Lets one thing happen, or moves time, but not beyond `until`.
  void tick(base::TimePoint until);
  void run_until(base::TimePoint time);
  void publish(int active, std::optional<int> canary);
  void drain();
  void let_clients_act();
  [[nodiscard]] base::Duration steady_cost(std::string_view node) const;
  void sample();
  void judge_step();
  void judge_body(const BodyEvent& event);
  [[nodiscard]] std::vector<base::MetricSnapshot> all_metrics() const;
  void judge_end();

  const Scenario& scenario_;
  base::SplitMix64 random_;
  Judge judge_;
  ServerFacts facts_;
  SimEngine engine_;
  base::MetricsRegistry metrics_;
  server::Readiness readiness_;
  server::LoopPulses pulses_;
  std::unique_ptr<server::LimitController> limit_;
  std::shared_ptr<SimGeneration> generation_;
  std::vector<std::shared_ptr<void>> retired_;  // destroyed when nothing runs any more
  std::unique_ptr<net::FakeListener> listener_;
  std::unique_ptr<server::ServingLoops> serving_;
  std::vector<std::unique_ptr<SimClient>> clients_;  // in the order of connecting
  std::size_t next_client_ = 0;
  std::vector<SimClient*> active_;  // connected, and not over yet
  std::vector<Sample> samples_;
  base::TimePoint next_sample_{};
  std::map<const net::FakePeer*, SimClient*> by_peer_;
  std::vector<Origin> origins_;                                  // by user
  std::map<std::int64_t, bool> hidden_;                          // users behind malformed heads
  std::map<std::pair<std::size_t, std::size_t>, int> at_store_;  // lines of a batch
  std::vector<std::size_t> open_before_;
  std::int64_t runs_before_ = 0;
  std::int64_t limit_before_ = 0;
  std::uint64_t tick_count_ = 0;
  int next_version_ = 1;
};

/// Runs the world of one seed and checks it. Some seeds are run twice, to see that they repeat.
/// After a violation the caller should end the process: the world cannot be destroyed.
[[nodiscard]] std::optional<Violation> check_seed(std::uint64_t seed);

}  // namespace millrace::server_sim
