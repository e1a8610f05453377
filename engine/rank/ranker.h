#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "rank/candidate_writer.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "rank/request.h"
#include "rank/request_run.h"
#include "rank/services.h"
#include "runtime/run_pool.h"

namespace millrace::rank {

/// What the operator allows and prefers.
struct RankOptions {
  std::optional<base::Duration> deadline = {};  ///< of requests that name none
  bool ids_as_strings = false;
  bool allow_scheduling_overrides = false;  ///< requests may have `scheduling`
};

/// One request from its text to the text of its response. Derive from it, and use it again.
/// Threading: not shared; `on_answer` is called by the thread that has the answer, once per start.
/// Lifetime: lives until `on_answer`; what it borrowed from the engine is then given back.
class RankCall {
 public:
  RankCall() = default;
  virtual ~RankCall() = default;
  RankCall(const RankCall&) = delete;
  RankCall& operator=(const RankCall&) = delete;

  /// The response, one line without its end. Of meaning from `on_answer` on.
  [[nodiscard]] const std::string& response() const { return response_; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] base::Duration took() const { return took_; }
  /// Waits for stores that had to come one after another; those at the same time count once.
  [[nodiscard]] std::uint64_t store_round_trips() const { return store_round_trips_; }

 protected:
  /// Is the last thing that the engine does with the call: it may be started again from here.
  virtual void on_answer() = 0;

 private:
  friend class Ranker;
  std::unique_ptr<Request> request_ = std::make_unique<Request>();
  std::shared_ptr<RequestRun> run_;
  std::string response_;
  std::string explain_;
  CandidateWriter candidates_;
  std::string engine_request_id_;
  class Ranker* ranker_ = nullptr;
  base::TimePoint started_{};
  base::Duration took_{};
  std::uint64_t store_round_trips_ = 0;
  bool ok_ = false;
};

/// Answers requests with the plans of a set.
/// Threading: `start` from any thread. Lifetime: outlives its calls; borrows plans and services.
class Ranker {
 public:
  Ranker(PlanSet& plans, const LoopServices& services, const RankOptions& options = {});

  /// Reads the text of a request and starts it. `on_answer` may be called before this returns.
  void start(RankCall& call, RequestReader& reader, std::string_view text);

 private:
  static void answered(runtime::Run& ended, void* data);
  void name_call(RankCall& call);
  [[nodiscard]] std::expected<LoadedPlan*, RankError> find_plan(const Request& request) const;
  [[nodiscard]] static std::expected<LoadedPlan*, RankError> find_twin(LoadedPlan& plan);
  void refuse(RankCall& call, std::string_view request_id, const RankError& error);
  void end(RankCall& call, bool ok);

  PlanSet& plans_;
  const LoopServices& services_;
  const RankOptions options_;
  // A number per request; publishes nothing.
  std::atomic<std::uint64_t> next_id_{1};
};

}  // namespace millrace::rank
