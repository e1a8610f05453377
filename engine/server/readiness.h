#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "server/graphs/graph_desk.h"

namespace millrace::server {

/// Whether requests should be sent here (S46). A server is ready once every endpoint in use has
/// answered once and every plan is warm; what happens to them later shows in the report only,
/// because otherwise all replicas would leave at once. A server that is about to end is not ready.
/// Threading: any thread.
class Readiness {
 public:
  /// Names what has to happen before the server is ready.
  void expect(std::vector<std::string> endpoints, std::vector<std::string> plans)
      MR_EXCLUDES(mutex_);
  /// Says what an endpoint answered: nothing wrong, or the problem.
  void report_endpoint(std::string_view name, std::optional<std::string> problem)
      MR_EXCLUDES(mutex_);
  /// The same for the warm-up of a plan.
  void report_plan(std::string_view name, std::optional<std::string> problem) MR_EXCLUDES(mutex_);
  /// Names the plans that are loaded now. Those that come later are warm already. Does nothing
  /// before `expect`.
  void set_plans(const std::vector<std::string>& names) MR_EXCLUDES(mutex_);
  /// Names the plans whose files are bad, and what is wrong with each (S26). They answer as before.
  void set_stale(std::map<std::string, std::string> plans) MR_EXCLUDES(mutex_);
  /// Whom to ask about the graph of the process (S59); before the first request.
  void watch_graph(const GraphDesk* graph) { graph_ = graph; }
  /// Says whether a plan that is loaded now reads tables of the graph.
  void set_needs_graph(bool is_needed) { needs_graph_.store(is_needed, std::memory_order_relaxed); }
  /// Says what is wrong with requests over NATS, if anything, and whether that keeps the server
  /// from being ready (NAT6).
  void set_transport(std::optional<std::string> problem, bool blocks) MR_EXCLUDES(mutex_);
  /// Says that the server is about to end.
  void begin_drain() { is_draining_.store(true, std::memory_order_relaxed); }

  [[nodiscard]] bool is_draining() const { return is_draining_.load(std::memory_order_relaxed); }
  /// A failed graph whose tables no plan reads shows in the report only.
  [[nodiscard]] bool is_ready() const {
    return is_warm() && !is_draining() && !lacks_graph() &&
           !is_blocked_.load(std::memory_order_relaxed);
  }
  /// Whether every endpoint and every plan has answered once.
  [[nodiscard]] bool is_warm() const { return is_started_.load(std::memory_order_relaxed); }
  /// One line per part: `[+]endpoint redis ok`, `[-]plan home: the reason`, and one for each stale
  /// plan.
  [[nodiscard]] std::string to_text() const MR_EXCLUDES(mutex_);

 private:
  struct Part {
    std::string name;
    bool was_good = false;               // once
    std::optional<std::string> problem;  // now; before the first report: not tried yet
  };

  [[nodiscard]] bool lacks_graph() const {
    return graph_ != nullptr && needs_graph_.load(std::memory_order_relaxed) &&
           graph_->problem().has_value();
  }
  void report(std::vector<Part>& parts, std::string_view name, std::optional<std::string> problem)
      MR_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::vector<Part> endpoints_ MR_GUARDED_BY(mutex_);
  std::vector<Part> plans_ MR_GUARDED_BY(mutex_);
  std::map<std::string, std::string> stale_ MR_GUARDED_BY(mutex_);
  std::optional<Part> transport_ MR_GUARDED_BY(mutex_);
  bool is_expecting_ MR_GUARDED_BY(mutex_) = false;
  // Hints for whoever asks; they publish nothing else.
  std::atomic<bool> is_started_{false};
  std::atomic<bool> is_draining_{false};
  std::atomic<bool> needs_graph_{false};
  const GraphDesk* graph_ = nullptr;  // constant once requests come
  std::atomic<bool> is_blocked_{false};
};

/// When each event loop last turned. Each loop beats from time to time; `/livez` looks.
/// Threading: `beat` on the loop of that index, the rest on any thread.
class LoopPulses {
 public:
  /// How often loops beat, and how old a beat may be.
  static constexpr base::Duration kPeriod = std::chrono::milliseconds(250);
  static constexpr base::Duration kSilenceMax = std::chrono::seconds(1);

  LoopPulses(std::size_t loop_count, base::TimePoint now);

  void beat(std::size_t loop, base::TimePoint now);
  /// The first loop that has been silent for too long.
  [[nodiscard]] std::optional<std::size_t> find_stuck(base::TimePoint now) const;

 private:
  struct alignas(64) Beat {
    // Publishes nothing but itself.
    std::atomic<base::Duration::rep> at{0};
  };
  const std::size_t loop_count_;
  const std::unique_ptr<Beat[]> beats_;
};

}  // namespace millrace::server
