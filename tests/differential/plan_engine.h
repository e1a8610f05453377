#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/wall_clock.h"
#include "host/project.h"
#include "loop/event_loop.h"
#include "plan/compiler.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"
#include "rank/services.h"
#include "runtime/worker_pool.h"
#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "tasks/scratch_pool.h"

namespace millrace::differential {

/// The data of the repository at `root`, with sorted sets, sets and strings besides: one command
/// of Redis per line.
[[nodiscard]] std::string data_text(const std::string& root);
/// The same, loaded.
[[nodiscard]] stores::EmbeddedStoreRef load_data(const std::string& root);

/// One way to run plans.
struct Way {
  plan::CompileOptions passes = {};
  std::uint32_t workers = 1;
  bool inlines = true;
  std::uint32_t loops = 1;

  [[nodiscard]] std::string name() const;
};

/// The engine with threads, as `rankd` builds it, but with access to every switch.
/// Threading: not shared.
class PlanEngine {
 public:
  PlanEngine(const host::Project& project,
             const stores::EmbeddedStoreRef& store,
             const std::vector<std::string>& plan_folders,
             const Way& way);
  ~PlanEngine();
  PlanEngine(const PlanEngine&) = delete;
  PlanEngine& operator=(const PlanEngine&) = delete;

  [[nodiscard]] std::vector<std::string_view> plan_names() const { return plans_.names(); }
  /// The response to a request, without the fields that depend on time: ids of the request and
  /// `took_ms`.
  [[nodiscard]] std::string answer(std::uint32_t loop, std::string_view request);

 private:
  struct Unit {
    std::unique_ptr<loop::EventLoop> loop;
    std::unique_ptr<stores::EmbeddedClient> client;
    std::vector<tasks::EndpointClient*> clients;
    tasks::TaskScratch scratch;
    rank::LoopServices services;
    std::unique_ptr<rank::Ranker> ranker;
  };
  void load(const host::Project& project, const std::string& folder, const Way& way);

  // Members are destroyed in reverse order: plans wait for late bodies, which need threads and
  // clients.
  base::ManualWallClock wall_clock_;
  tasks::ScratchPool scratches_;
  std::unique_ptr<runtime::WorkerPool> workers_;
  std::vector<std::unique_ptr<Unit>> units_;
  rank::PlanSet plans_;
  rank::RequestReader reader_;
};

}  // namespace millrace::differential
