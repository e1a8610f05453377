#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "rank/answer/answer_text.h"
#include "rank/answer/long_answer.h"
#include "rank/call_rights.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "rank/rank_error.h"
#include "rank/request.h"
#include "rank/request_run.h"
#include "rank/response.h"
#include "rank/run_slot.h"
#include "rank/services.h"
#include "rank/watch/node_times.h"
#include "runtime/admission.h"
#include "runtime/run_pool.h"
#include "trace/run_capture.h"

namespace millrace::rank {

/// What the operator allows and prefers.
struct RankOptions {
  std::optional<base::Duration> deadline = {};  ///< of requests that name none
  std::int64_t plan_inflight_max = 0;           ///< requests of one plan under way; 0: no limit
  bool ids_as_strings = false;
  bool allow_scheduling_overrides = false;  ///< requests may have `scheduling`
};

/// What whoever took a request off its transport knows besides the text.
/// Lifetime: borrows its texts until the request is answered.
struct CallTerms {
  std::string_view plan = {};        ///< the plan to use; the text must name the same or none
  std::string_view request_id = {};  ///< of requests whose text has none
  /// When the request came. Deadlines and `took` count from here; nothing: from its start.
  std::optional<base::TimePoint> received = {};
  /// Holds besides the deadline that the request or the operator names.
  std::optional<base::TimePoint> deadline = {};
  bool needs_explain = false;  ///< the text must have `explain`
  /// Times the nodes of the run, see `RankCall::node_samples`.
  bool times_nodes = false;
  /// Traces the run and keeps everything about it, see `RankCall::take_capture`.
  bool captures = false;
  /// What the sender may ask for; nullptr: everything. Used until `start` returns.
  const CallRights* rights = nullptr;
  /// How the response of a request without candidates begins; nullptr: with its brace alone.
  BeginError begin_error = nullptr;
  /// The time now, if `received` is not; nothing: the clock is read.
  std::optional<base::TimePoint> now = {};
};

/// One request from its text to the text of its response. Derive from it, and use it again.
/// Threading: one thread starts it; `cancel` from any thread at any time; `on_answer` is called by
/// the thread that has the answer or by the one that starts, once per start. The other members are
/// for whoever was given the answer, until the next start.
/// Lifetime: lives until `on_answer`, and until every `cancel` has returned; what it borrowed from
/// the engine is then given back.
class RankCall {
 public:
  RankCall() = default;
  virtual ~RankCall() = default;
  RankCall(const RankCall&) = delete;
  RankCall& operator=(const RankCall&) = delete;

  /// Cancels the request that is under way (C7). No further node starts, store calls are withdrawn,
  /// and the answer comes at once with the outcome `kCancelled`, unless another answer was made
  /// before. Before the first start: that start answers `kCancelled`. Between an answer and the
  /// next start it does nothing, because it may have been meant for the request just answered.
  void cancel() { slot_.cancel(); }

  /// The response, one line without its end.
  [[nodiscard]] const std::string& response() const { return text_.response; }
  [[nodiscard]] RankOutcome outcome() const { return outcome_; }
  /// Says whether the response has candidates, all of them or degraded.
  [[nodiscard]] bool ok() const { return !code_; }
  /// Why there are no candidates; nothing if there are.
  [[nodiscard]] std::optional<RankErrorCode> code() const { return code_; }
  /// From the start of the request to its answer.
  [[nodiscard]] base::Duration took() const { return took_; }
  /// When the answer was made.
  [[nodiscard]] base::TimePoint answered_at() const { return started_ + took_; }
  /// Nodes whose fallback was used; 0 if there are no candidates.
  [[nodiscard]] std::uint32_t degraded_count() const { return degraded_count_; }
  /// The id that the caller gave; empty if there is none, or if it could not be read.
  [[nodiscard]] const std::string& request_id() const { return request_id_; }
  [[nodiscard]] const std::string& engine_request_id() const { return engine_request_id_; }
  /// The plan that was asked for; nullptr if it was not found.
  [[nodiscard]] const LoadedPlan* plan() const { return plan_; }
  [[nodiscard]] runtime::Priority priority() const { return priority_; }
  /// Whether any of its nodes could run. False: it was refused, or wrong.
  [[nodiscard]] bool was_started() const { return was_started_; }
  /// Whether the response has a trace.
  [[nodiscard]] bool has_trace() const { return has_trace_; }
  /// Why there are no candidates, for people; empty if there are.
  [[nodiscard]] const std::string& error_message() const { return error_message_; }
  [[nodiscard]] std::uint64_t candidate_count() const {
    return ok() ? text_.candidates.candidate_count() : 0;
  }
  /// How its nodes went, if they were timed.
  [[nodiscard]] std::span<const NodeSample> node_samples() const { return node_samples_; }
  /// The nodes that `degraded_count` counts.
  [[nodiscard]] std::span<const DegradedNode> degraded_nodes() const { return degraded_nodes_; }
  /// Why admission did not let the request in; nothing if it did or was not asked.
  [[nodiscard]] std::optional<Refusal> refusal() const { return refusal_; }
  /// Everything about the run, if that was asked for and it was started; empty afterwards.
  [[nodiscard]] std::unique_ptr<trace::RunCapture> take_capture() { return std::move(capture_); }
  /// Waits for stores that had to come one after another; those at the same time count once.
  [[nodiscard]] std::uint64_t store_round_trips() const { return store_round_trips_; }

 protected:
  /// Called once per start, last. The callee may start the call again or delete it here.
  virtual void on_answer() = 0;

 private:
  friend class Ranker;
  std::unique_ptr<Request> request_ = std::make_unique<Request>();
  std::shared_ptr<RequestRun> run_;
  AnswerText text_;
  std::string engine_request_id_;
  std::string request_id_;
  std::string error_message_;
  CallTerms terms_;
  const LoadedPlan* plan_ = nullptr;
  const LoadedPlan* ran_ = nullptr;  // what runs: that plan, or its twin for explanations
  PlanPlace place_;
  runtime::Priority priority_ = runtime::Priority::kNormal;
  bool was_started_ = false;
  bool has_trace_ = false;
  class Ranker* ranker_ = nullptr;
  base::TimePoint started_{};
  base::Duration took_{};
  std::uint64_t store_round_trips_ = 0;
  std::vector<NodeSample> node_samples_;
  std::vector<DegradedNode> degraded_nodes_;
  std::optional<Refusal> refusal_;
  std::unique_ptr<trace::RunCapture> capture_;
  std::uint32_t degraded_count_ = 0;
  RankOutcome outcome_ = RankOutcome::kInvalid;
  std::optional<RankErrorCode> code_ = RankErrorCode::kInternal;
  RunSlot slot_;
};

/// Answers requests with the plans of a set.
/// Threading: `start` from any thread. Lifetime: outlives its calls; borrows plans and services.
class Ranker {
 public:
  Ranker(PlanSet& plans, const LoopServices& services, const RankOptions& options = {});

  /// Reads the text of a request and starts it. `on_answer` may be called before this returns.
  void start(RankCall& call,
             RequestReader& reader,
             std::string_view text,
             const CallTerms& terms = {});
  /// Makes an id for what has no call, in the same series as those of calls.
  [[nodiscard]] std::string make_request_id();

 private:
  static void answered(runtime::Run& ended, void* data);
  void append_next_id(std::string& id);
  [[nodiscard]] std::expected<runtime::RunHandle, RankError> submit(RankCall& call,
                                                                    RequestReader& reader,
                                                                    std::string_view text);
  [[nodiscard]] std::expected<runtime::RunHandle, RankError> submit_run(
      RankCall& call,
      LoadedPlan& plan,
      runtime::RunOptions& options,
      runtime::AdmissionPermit permit);
  [[nodiscard]] std::expected<runtime::AdmissionPermit, RankError> admit(
      RankCall& call,
      const LoadedPlan& plan,
      base::TimePoint now,
      std::optional<base::TimePoint> deadline) const;
  /// Applies the terms of the call to the request that was read.
  [[nodiscard]] static std::expected<void, RankError> apply_terms(RankCall& call);
  [[nodiscard]] std::expected<LoadedPlan*, RankError> find_plan(const Request& request,
                                                                const CallRights* rights) const;
  [[nodiscard]] static std::expected<LoadedPlan*, RankError> find_twin(LoadedPlan& plan);
  /// `submit`; a lack of memory is an error of the request.
  [[nodiscard]] std::expected<runtime::RunHandle, RankError> submit_within_memory(
      RankCall& call, RequestReader& reader, std::string_view text);
  /// `succeed`; a lack of memory is an error of the request. False: the answer comes later.
  [[nodiscard]] bool succeed_within_memory(RankCall& call,
                                           runtime::Run& ended,
                                           base::TimePoint now) const;
  /// Takes what is to be known about the run beyond its answer. Gives the records of its trace.
  [[nodiscard]] std::vector<trace::TraceRecord> end_watch(RankCall& call,
                                                          const runtime::Run& ended) const;
  /// `now` is when the run has ended. False: the answer is long and comes later.
  [[nodiscard]] bool succeed(RankCall& call, runtime::Run& ended, base::TimePoint now) const;
  void answer_on_worker(RankCall& call, runtime::Run& ended) const;
  static void answered_on_worker(LongAnswer* answer, AnswerEnd end, void* data);
  /// Ends a response that has its candidates; `now` is when the answer is made.
  void finish(RankCall& call, AnswerEnd end, const runtime::Run& ended, base::TimePoint now) const;
  /// Answers with what kept the response from being written, instead of what there is of it.
  void fail_without_text(RankCall& call, AnswerEnd end) const;
  [[nodiscard]] CandidateOptions candidate_options() const {
    return {.ids_as_strings = options_.ids_as_strings, .bytes_max = services_.row_limits.bytes_max};
  }
  void fail(RankCall& call, std::string_view request_id, RankError error) const;

  PlanSet& plans_;
  const LoopServices& services_;
  const RankOptions options_;
  // Counts the requests that got an id, if the services have no count. Publishes nothing.
  std::atomic<std::uint64_t> own_named_count_{0};
  std::atomic<std::uint64_t>& named_count_;
};

}  // namespace millrace::rank
