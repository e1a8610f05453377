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
#include "base/metrics/metrics_registry.h"
#include "base/random.h"
#include "base/wall_clock.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "observe/otlp_exporter.h"
#include "observe/request_log.h"
#include "observe/slow_capture.h"
#include "runtime/admission.h"
#include "server/access/access_keys.h"
#include "server/admin_desk.h"
#include "server/generations/generation_slot.h"
#include "server/graphs/graph_desk.h"
#include "server/overload/limit_controller.h"
#include "server/readiness.h"

namespace millrace::server {

/// What the operator has set, as far as fronts need it.
struct FrontSettings {
  std::optional<base::Duration> deadline = {};  ///< of every request, `--deadline_ms`
  base::Duration deadline_max = std::chrono::seconds(60);
  std::size_t body_bytes_max = std::size_t{1} << 20;
  std::size_t batch_bytes_max = std::size_t{16} << 20;
  std::size_t batch_lines_max = 10'000;
  std::size_t batch_parallel_max = 16;
  std::size_t batch_unsent_bytes_max = std::size_t{1} << 20;
  std::vector<std::string> cors_origins = {};
  bool has_admin = false;  ///< there is an admin listener
  observe::RequestLogRule log_rule = {};
  double trace_root_share = 0;          ///< of requests without a caller's trace
  base::Duration slow = {};             ///< answers that took longer are slow
  std::uint32_t slow_trace_every = 64;  ///< of so many requests one is traced in case it is slow
};

/// What one loop's front works with.
/// Lifetime: everything outlives the front.
struct FrontServices {
  loop::Loop* loop = nullptr;
  GenerationSlot* generations = nullptr;          ///< the plans of this loop
  const runtime::Admission* admission = nullptr;  ///< nullptr: nothing is refused
  LimitController* limit = nullptr;               ///< nullptr: the limit does not move
  std::shared_ptr<const AccessKeys> keys = {};    ///< at first; nullptr: there is no key file
  const Readiness* readiness = nullptr;
  const LoopPulses* pulses = nullptr;
  base::MetricsRegistry* metrics = nullptr;
  base::Logger* log = nullptr;  ///< nullptr: nothing is logged
  /// Where pages are made that take long.
  loop::Executor* workers = nullptr;
  base::Random* random = nullptr;  ///< of this loop
  /// Makes the page of metrics and that of stats. Called on a worker.
  std::function<std::string(std::string_view accept)> metrics_page = {};
  std::function<std::string()> stats_page = {};
  observe::OtlpExporter* otlp = nullptr;  ///< nullptr: no trace is exported
  observe::SlowCapture* slow = nullptr;   ///< nullptr: slow requests are not captured
  const base::WallClock* wall_clock = &base::system_wall_clock();
  /// Who changes plans; nullptr: nobody does.
  AdminDesk* admin = nullptr;
  /// Who tells about the graph of the process; nullptr: there is none.
  const GraphDesk* graphs = nullptr;
};

}  // namespace millrace::server
