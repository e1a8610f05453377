#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/wall_clock.h"
#include "loop/fake_loop.h"
#include "plan/registry/registry.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"
#include "rank/services.h"
#include "runtime/admission.h"
#include "runtime/worker_pool.h"
#include "server/generations/generation_slot.h"
#include "tasks/scratch_pool.h"
#include "tasks/task.h"
#include "tasks/task_registry.h"

// The engine below the server on one thread in virtual time: loops, workers, plans and a store. The
// bodies are real. A body on a worker keeps it for the time that its cost says.

namespace millrace::server_sim {

/// A body begins or ends.
struct BodyEvent {
  std::int64_t user = 0;
  std::string_view node;
  bool is_end = false;
};

struct SimEngineSettings {
  std::uint64_t seed = 0;  ///< of the fates of users
  std::size_t loop_count = 1;
  std::uint32_t worker_count = 2;
  runtime::AdmissionSettings admission = {};
  bool inlines = false;
  std::optional<base::Duration> deadline = {};
  std::optional<base::Duration> steady_store = {};  ///< answers everybody after this time
};

/// Plans of one version, with a ranker for each loop. Version v of a plan gives v + 2 rows, so that
/// an answer shows which version made it.
class SimGeneration;

/// Threading: not shared. Lifetime: all requests must have ended, and `drain` been called, before
/// it is destroyed.
class SimEngine {
 public:
  explicit SimEngine(const SimEngineSettings& settings);
  ~SimEngine();
  SimEngine(const SimEngine&) = delete;
  SimEngine& operator=(const SimEngine&) = delete;

  /// Makes plans of a version. A canary version gets half of the users.
  [[nodiscard]] std::shared_ptr<SimGeneration> make_generation(
      int version, std::optional<int> canary = std::nullopt);
  [[nodiscard]] server::LoopPlans plans_of(const std::shared_ptr<SimGeneration>& generation,
                                           std::size_t loop);

  /// Does one of the things that can happen now, drawn. False: there is none.
  bool step(base::Random& random);
  /// When the next thing happens by itself.
  [[nodiscard]] std::optional<base::TimePoint> next_time() const;
  /// Lets everything happen that is still to come from runs.
  void drain(base::Random& random);

  /// The time that a body of a node takes on a worker; set it before anything runs.
  std::function<base::Duration(std::int64_t user, std::string_view node)> cost_of;
  std::function<void(const BodyEvent&)> on_body;

  base::ManualClock clock;
  base::ManualWallClock wall_clock{base::WallTime(std::chrono::seconds(784111777))};
  std::vector<std::unique_ptr<loop::FakeLoop>> loops;
  std::unique_ptr<runtime::WorkerPool> pool;
  std::unique_ptr<runtime::Admission> admission;

 private:
  friend class SimGeneration;
  struct Driver {
    std::optional<base::TimePoint> until;  // the body is under way until then
    std::int64_t user = 0;
    std::string node;
  };
  bool drive(std::size_t index);
  void note(std::int64_t user, const std::string& node, bool is_end);
  [[nodiscard]] std::shared_ptr<rank::LoadedPlan> load(
      const std::string& artifact, std::vector<std::unique_ptr<tasks::TaskBody>>& bodies);

  const SimEngineSettings settings_;
  tasks::TaskRegistry tasks_;
  plan::Registry registry_;
  std::vector<std::unique_ptr<tasks::TaskScratch>> scratch_;
  tasks::ScratchPool scratches_;
  std::vector<std::atomic<std::uint64_t>> named_counts_;
  std::vector<rank::LoopServices> services_;
  std::vector<Driver> drivers_;
  std::int64_t begun_user_ = 0;
  std::string begun_node_;
  bool is_on_worker_ = false;
};

class SimGeneration {
 public:
  SimGeneration(SimEngine& engine, int version, std::optional<int> canary);
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] rank::PlanSet& plans() { return plans_; }
  [[nodiscard]] rank::Ranker& ranker(std::size_t loop) { return *rankers_[loop]; }

 private:
  const int version_;
  std::vector<std::unique_ptr<tasks::TaskBody>> bodies_;
  rank::PlanSet plans_;
  std::vector<std::unique_ptr<rank::Ranker>> rankers_;
};

/// The candidates that a version of a plan gives.
[[nodiscard]] std::string candidates_of(int version);

}  // namespace millrace::server_sim
