#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log/log.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "host/engine.h"
#include "host/extensions.h"
#include "host/project.h"
#include "host/settings.h"
#include "server/generations/canary_guard.h"
#include "server/generations/plan_versions.h"
#include "server/generations/state_file.h"
#include "server/generations/version_catalog.h"
#include "server/problem.h"
#include "server/readiness.h"

namespace millrace::server {

/// What all loops are to use from now on.
struct Publication {
  std::shared_ptr<host::Generation> generation;
  std::shared_ptr<const VersionCatalog> versions;
  std::vector<std::shared_ptr<CanaryGuard>> canaries;
};

/// What a reload did.
struct ReloadReport {
  std::vector<std::string> problems;  ///< each names its file or plan
  std::vector<std::string> changed;   ///< plans whose active version is another one, or new
  std::vector<std::string> removed;
};

/// Reads files again and makes generations of them (S24 to S30).
///
/// A plan file that is bad changes nothing about its plan; others are exchanged all the same. A
/// changed registry makes all plans anew, or none.
/// Threading: one thread at a time; it blocks. Lifetime: borrows its parts.
class PlanReloader {
 public:
  struct Parts {
    host::Engine* engine = nullptr;
    host::Settings settings;
    /// Makes the drivers of another reading of the registry.
    std::function<host::Extensions()> extensions;
    Readiness* readiness = nullptr;
    base::Logger* log = nullptr;  ///< may be null
    bool warmup_required = true;
    bool allow_upload = false;
    std::string state_file = {};  ///< empty: nothing is kept over restarts
    /// Gives a generation to all loops, and returns when they use it.
    std::function<void(Publication)> publish;
    /// The last requests of a plan.
    std::function<std::vector<std::string>(std::string_view plan)> recall = {};
    /// Gets what is not used any more.
    std::function<void(std::shared_ptr<void>)> retire = {};
    /// Reads other files again, such as those of TLS. Gives what is wrong.
    std::function<std::vector<std::string>()> reload_others = {};
    /// Called by a loop when a canary is too bad: `end_canary` is to follow.
    std::function<void(std::string plan, std::string digest)> on_bad_canary = {};
  };
  explicit PlanReloader(Parts parts);

  /// Takes over what the engine has loaded and what the state file says, and publishes that.
  [[nodiscard]] std::expected<void, host::StartError> begin();

  ReloadReport reload();

  // Admin requests. What they give is the JSON of the answer.

  using Reply = std::expected<std::string, RequestProblem>;
  [[nodiscard]] Reply reload_on_demand();
  [[nodiscard]] Reply rollback(std::string_view plan);
  [[nodiscard]] Reply pin(std::string_view plan, std::string_view version);
  [[nodiscard]] Reply unpin(std::string_view plan);
  [[nodiscard]] Reply set_canary(std::string_view plan, std::string_view version, double percent);
  [[nodiscard]] Reply upload(std::string_view plan, const std::string& artifact, bool is_dry_run);
  /// Ends a canary because of its errors, if it still runs.
  void end_canary(std::string_view plan, std::string_view digest);

  /// Whether a file differs from what the last reload has seen.
  [[nodiscard]] bool has_changed_file() const;
  /// Whether a plan did not answer its warm-up and may do so now.
  [[nodiscard]] bool wants_retry() const { return wants_retry_; }
  /// The folders whose changes matter.
  [[nodiscard]] std::vector<std::string> folders() const;
  [[nodiscard]] const std::map<std::string, std::string>& stale() const { return stale_; }

 private:
  using Versions = std::map<std::string, PlanVersions, std::less<>>;
  /// A plan file that was read well: what it has, and which plan that is.
  struct KnownFile {
    std::string text;
    std::string plan;
  };
  struct Draft;  // a reload under way

  void read_registry(Draft& draft);
  void read_plans(Draft& draft);
  void read_plan(const std::string& path, Draft& draft);
  /// The same; a lack of memory is a problem of the file, which is tried again.
  void read_plan_within_memory(const std::string& path, Draft& draft);
  void load_again(Draft& draft);
  [[nodiscard]] std::shared_ptr<rank::LoadedPlan> load_plan(const std::string& place,
                                                            const std::string& artifact,
                                                            Draft& draft);
  void find_removed(Draft& draft);
  void warm_all(Draft& draft);
  void finish(Draft& draft, ReloadReport& report);
  [[nodiscard]] Reply decide(
      std::string_view plan,
      const std::function<std::expected<void, RequestProblem>(PlanVersions&)>& change);
  void add_problem(Draft& draft, std::string_view plan, std::string text);
  [[nodiscard]] rank::PlanSet plan_set(const Versions& versions) const;
  [[nodiscard]] SavedPlans saved(const Versions& versions) const;
  [[nodiscard]] std::expected<void, RequestProblem> save(const Versions& versions);
  void publish(std::shared_ptr<host::EndpointClients> clients, Versions versions);
  void bind_metrics();
  void note_files();
  [[nodiscard]] std::vector<std::pair<std::string, host::FileStamp>> stamps() const;
  [[nodiscard]] std::string plan_dir() const;

  const Parts parts_;
  Versions versions_;
  std::map<std::string, KnownFile> files_;    // by path
  std::map<std::string, std::string> stale_;  // by plan: what is wrong with its file
  std::shared_ptr<const VersionCatalog> catalog_;
  std::vector<std::shared_ptr<CanaryGuard>> guards_;
  SavedPlans saved_;
  bool wants_retry_ = false;  // a warm-up has failed, which may be for want of a store
  std::vector<std::pair<std::string, host::FileStamp>> stamps_;
  base::CounterCell good_reloads_;
  base::CounterCell bad_reloads_;
  base::GaugeCell stale_count_;
  base::GaugeCell one_;
  std::vector<std::unique_ptr<base::GaugeCell>> shares_;
  base::MetricBinding counts_;                  // goes before the cells
  std::unique_ptr<base::MetricBinding> infos_;  // of the generation in use
};

}  // namespace millrace::server
