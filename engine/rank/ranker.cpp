#include "rank/ranker.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "rank/fragment_choice.h"
#include "rank/plan_version.h"
#include "rank/response.h"
#include "rank/run_tracer.h"
#include "runtime/run.h"

namespace millrace::rank {
namespace {

Refusal refusal_of(runtime::RefusalReason reason) {
  switch (reason) {
    case runtime::RefusalReason::kLimit:
      return Refusal::kLimit;
    case runtime::RefusalReason::kHighWater:
      return Refusal::kHighWater;
    case runtime::RefusalReason::kDeadline:
      break;
  }
  return Refusal::kDeadline;
}

}  // namespace

Ranker::Ranker(PlanSet& plans, const LoopServices& services, const RankOptions& options)
    : plans_(plans),
      services_(services),
      options_(options),
      named_count_(services.named_count != nullptr ? *services.named_count : own_named_count_) {}

void Ranker::start(RankCall& call,
                   RequestReader& reader,
                   std::string_view text,
                   const CallTerms& terms) {
  call.ranker_ = this;
  call.terms_ = terms;
  call.started_ = terms.received ? *terms.received : services_.loop->clock().now();
  call.plan_ = nullptr;
  call.priority_ = runtime::Priority::kNormal;
  call.request_id_.clear();
  call.error_message_.clear();
  call.text_.response.clear();
  call.store_round_trips_ = 0;
  call.degraded_count_ = 0;
  call.has_trace_ = false;
  call.node_samples_.clear();
  call.degraded_nodes_.clear();
  call.refusal_.reset();
  call.capture_.reset();
  call.engine_request_id_.clear();
  append_next_id(call.engine_request_id_);
  auto handle = submit_within_memory(call, reader, text);
  call.was_started_ = handle.has_value();
  if (handle) {
    if (call.slot_.keep(*std::move(handle))) return;
  } else {
    // `RequestRun::start` takes the request over, so the request is in one of the two.
    const Request& request = call.run_ != nullptr ? call.run_->request() : *call.request_;
    fail(call, request.request_id, std::move(handle).error());
    call.slot_.close();
  }
  call.on_answer();
}

std::expected<runtime::RunHandle, RankError> Ranker::submit(RankCall& call,
                                                            RequestReader& reader,
                                                            std::string_view text) {
  const bool is_cancelled = !call.slot_.begin();
  const auto read = reader.read(text, *call.request_);
  const auto applied = apply_terms(call);
  if (!read) return std::unexpected(read.error());
  if (!applied) return std::unexpected(applied.error());
  const Request& request = *call.request_;
  if (is_cancelled || call.slot_.is_cancelled()) {
    return std::unexpected(RankError{.code = RankErrorCode::kCancelled,
                                     .message = "The request was cancelled before it started"});
  }
  if (request.scheduling.any() && !options_.allow_scheduling_overrides) {
    return std::unexpected(
        RankError{.code = RankErrorCode::kNotAllowed,
                  .message = "'scheduling' is for operators: this server was started without "
                             "--allow_scheduling_overrides"});
  }
  auto plan = find_plan(request, call.terms_.rights);
  if (plan) call.plan_ = *plan;
  if (plan && request.explain_ids) plan = find_twin(**plan);
  if (!plan) return std::unexpected(std::move(plan).error());
  runtime::RunOptions options{
      .priority = request.priority, .loop = services_.loop, .inlining = request.scheduling};
  const auto limit = request.deadline ? request.deadline : options_.deadline;
  if (limit) options.deadline = call.started_ + *limit;
  if (call.terms_.deadline)
    options.deadline =
        std::min(options.deadline.value_or(*call.terms_.deadline), *call.terms_.deadline);
  const base::TimePoint now = call.terms_.now        ? *call.terms_.now
                              : call.terms_.received ? services_.loop->clock().now()
                                                     : call.started_;
  auto permit = admit(call, **plan, now, options.deadline);
  if (!permit) return std::unexpected(std::move(permit).error());
  return submit_run(call, **plan, options, *std::move(permit));
}

std::expected<runtime::RunHandle, RankError> Ranker::submit_run(RankCall& call,
                                                                LoadedPlan& plan,
                                                                runtime::RunOptions& options,
                                                                runtime::AdmissionPermit permit) {
  call.run_ = plan.make_run();
  call.ran_ = &plan;
  RequestRun& run = *call.run_;
  auto started = run.start(call.request_, services_);
  if (started) started = check_output_keys(run);
  if (!started) return std::unexpected(std::move(started).error());
  if (services_.tracer != nullptr)
    options.trace = services_.tracer->begin(plan, run.request().trace || call.terms_.captures);
  if (options.trace.enabled()) {
    run.keep_all_rows();
    if (call.terms_.captures) run.log_store_calls();
  }
  // The twin of a plan has other nodes.
  if (call.terms_.times_nodes && !run.request().explain_ids) run.time_nodes();
  const runtime::RunObserver observer{.on_answer = &Ranker::answered, .data = &call};
  auto handle =
      plan.runs().submit(*services_.workers, call.run_, options, observer, std::move(permit));
  if (handle) return *std::move(handle);
  if (options.trace.enabled()) services_.tracer->forget(options.trace.trace_id);
  return std::unexpected(
      RankError{.code = rank_code_of(handle.error().code()), .message = handle.error().message()});
}

std::expected<runtime::AdmissionPermit, RankError> Ranker::admit(
    RankCall& call,
    const LoadedPlan& plan,
    base::TimePoint now,
    std::optional<base::TimePoint> deadline) const {
  if (services_.admission == nullptr) return runtime::AdmissionPermit();
  if (deadline && call.plan_->plan_load().is_hopeless(now, *deadline)) {
    call.refusal_ = Refusal::kDeadline;
    return std::unexpected(
        RankError{.code = RankErrorCode::kDeadlineExceeded,
                  .message = "Less time is left than the plan takes at its fastest"});
  }
  if (options_.plan_inflight_max > 0) {
    call.place_ = call.plan_->plan_load().try_enter(options_.plan_inflight_max);
    if (!call.place_.valid()) {
      call.refusal_ = Refusal::kPlanLimit;
      return std::unexpected(
          RankError{.code = RankErrorCode::kBusy,
                    .message = "Too many requests of this plan are under way; try again later"});
    }
  }
  auto permit =
      services_.admission->try_admit({.now = now,
                                      .deadline = deadline.value_or(base::TimePoint::max()),
                                      .node_count = plan.topology().node_count(),
                                      .priority = call.priority_});
  if (permit) return *std::move(permit);
  call.refusal_ = refusal_of(permit.error());
  if (permit.error() == runtime::RefusalReason::kDeadline) {
    return std::unexpected(RankError{.code = RankErrorCode::kDeadlineExceeded,
                                     .message = "The deadline had passed before it started"});
  }
  return std::unexpected(RankError{.code = RankErrorCode::kBusy,
                                   .message = "Too many requests are under way; try again later"});
}

std::string Ranker::make_request_id() {
  std::string id;
  append_next_id(id);
  return id;
}

void Ranker::append_next_id(std::string& id) {
  // Loop i of n uses the numbers i + 1, i + 1 + n, i + 1 + 2n …: no two loops ever use the same,
  // and they share no counter.
  std::array<char, 24> text{};
  const std::uint64_t turn = named_count_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t number = turn * services_.loop_count + services_.loop_index + 1;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  id.append(services_.id_prefix).append(text.data(), end);
}

std::expected<void, RankError> Ranker::apply_terms(RankCall& call) {
  Request& request = *call.request_;
  const CallTerms& terms = call.terms_;
  if (request.request_id.empty()) request.request_id = terms.request_id;
  // Classes are numbered from the best one on.
  if (terms.rights != nullptr)
    request.priority = std::max(request.priority, terms.rights->priority_max());
  call.priority_ = request.priority;
  if (!terms.plan.empty()) {
    if (!request.plan.empty() && request.plan != terms.plan) {
      return std::unexpected(
          RankError{.code = RankErrorCode::kPlanMismatch,
                    .message = base::format("The address names the plan '{}' and the request '{}'",
                                            terms.plan,
                                            base::shortened(request.plan))});
    }
    request.plan = terms.plan;
  }
  if (terms.needs_explain && !request.explain_ids) {
    return std::unexpected(RankError{.code = RankErrorCode::kMissingField,
                                     .message = "A request to be explained needs 'explain'"});
  }
  return {};
}

std::expected<LoadedPlan*, RankError> Ranker::find_plan(const Request& request,
                                                        const CallRights* rights) const {
  LoadedPlan* plan = request.plan.empty() ? plans_.default_plan() : plans_.find(request.plan);
  const std::string_view name =
      request.plan.empty() && plan != nullptr ? plan->plan().name : request.plan;
  // The same answer whether the plan exists or not.
  if (rights != nullptr && !name.empty() && !rights->may_use(name)) {
    return std::unexpected(RankError{
        .code = RankErrorCode::kNotAllowed,
        .message = base::format("The key does not cover the plan '{}'", base::shortened(name))});
  }
  if (plan == nullptr) {
    auto names = plans_.names();
    if (rights != nullptr)
      std::erase_if(names, [&](std::string_view other) { return !rights->may_use(other); });
    return std::unexpected(
        RankError{.code = RankErrorCode::kUnknownPlan,
                  .message = request.plan.empty()
                                 ? "The request names no plan and there is no default; set 'plan'"
                                 : base::format("No plan '{}' is loaded{}",
                                                request.plan,
                                                base::did_you_mean(request.plan, names))});
  }
  if (request.plan_version.empty()) {
    plan = &plans_.choose(*plan, request.user_id);
  } else {
    LoadedPlan* const version = plans_.find_version(plan->plan().name, request.plan_version);
    if (version == nullptr) {
      return std::unexpected(
          RankError{.code = RankErrorCode::kUnknownVersion,
                    .message = base::format("The plan '{}' has version '{}', not '{}'",
                                            plan->plan().name,
                                            version_of(plan->plan()),
                                            base::shortened(request.plan_version))});
    }
    plan = version;
  }
  return find_variant(plans_, *plan, request.fragment_versions);
}

std::expected<LoadedPlan*, RankError> Ranker::find_twin(LoadedPlan& plan) {
  const auto twin = plan.explain_twin();
  if (twin) return *twin;
  return std::unexpected(
      RankError{.code = rank_code_of(twin.error().code()), .message = twin.error().message()});
}

void Ranker::answered(runtime::Run& ended, void* data) {
  RankCall& call = *static_cast<RankCall*>(data);
  Ranker& ranker = *call.ranker_;
  const RequestRun& run = *call.run_;
  const auto& deadline = ended.options().deadline;
  const base::TimePoint now = ranker.services_.loop->clock().now();
  if (ended.outcome() != runtime::RunOutcome::kOk) {
    (void)ranker.end_watch(call, ended);
    const base::Duration budget = deadline ? *deadline - call.started_ : base::Duration::max();
    ranker.fail(call, run.request().request_id, error_of(run, ended, budget));
  } else if (deadline && now > *deadline + runtime::kAnswerLatenessMax) {
    // The thread that answers was held up after the run had ended (C11).
    (void)ranker.end_watch(call, ended);
    ranker.fail(call,
                run.request().request_id,
                {.code = RankErrorCode::kDeadlineExceeded,
                 .message = "The candidates were ready after the deadline"});
  } else if (!ranker.succeed_within_memory(call, ended, now)) {
    return;
  }
  if (call.slot_.end()) call.on_answer();
}

std::expected<runtime::RunHandle, RankError> Ranker::submit_within_memory(RankCall& call,
                                                                          RequestReader& reader,
                                                                          std::string_view text) {
  try {
    return submit(call, reader, text);
  } catch (const std::bad_alloc&) {
    return std::unexpected(RankError{.code = RankErrorCode::kLimitReached,
                                     .message = "There is not enough memory for the request"});
  }
}

bool Ranker::succeed_within_memory(RankCall& call, runtime::Run& ended, base::TimePoint now) const {
  // An answer may be larger than the memory that is left. This can run on a loop, whose other
  // requests must not end with it.
  try {
    return succeed(call, ended, now);
  } catch (const std::bad_alloc&) {
    fail_without_text(call, AnswerEnd::kNoMemory);
    return true;
  }
}

void Ranker::fail_without_text(RankCall& call, AnswerEnd end) const {
  RankError error{.code = RankErrorCode::kLimitReached};
  if (end == AnswerEnd::kLate) {
    error = {.code = RankErrorCode::kDeadlineExceeded,
             .message = "The answer was not written before the deadline"};
  } else if (end == AnswerEnd::kTooLarge) {
    error.message = base::format(
        "The answer has more than {} bytes (--max_request_memory); ask for fewer candidates or "
        "keys",
        services_.row_limits.bytes_max);
  } else {
    error.message = "There is not enough memory for the answer; ask for fewer candidates or keys";
  }
  call.text_ = {};
  fail(call, call.run_->request().request_id, std::move(error));
}

std::vector<trace::TraceRecord> Ranker::end_watch(RankCall& call, const runtime::Run& ended) const {
  const RequestRun& run = *call.run_;
  if (run.times().is_open()) [[unlikely]]
    run.times().append_samples(run.plan().plan(), run.topology(), call.node_samples_);
  const trace::TraceContext& traced = ended.options().trace;
  if (!traced.enabled()) [[likely]]
    return {};
  if (!run.request().trace && !call.terms_.captures) {
    services_.tracer->forget(traced.trace_id);
    return {};
  }
  std::vector<trace::TraceRecord> records = services_.tracer->take(traced.trace_id);
  if (call.terms_.captures)
    call.capture_ = std::make_unique<trace::RunCapture>(capture_run(run, *call.ran_, records));
  return records;
}

bool Ranker::succeed(RankCall& call, runtime::Run& ended, base::TimePoint now) const {
  const RequestRun& run = *call.run_;
  const auto records = end_watch(call, ended);
  call.text_.trace.clear();
  if (run.request().trace && ended.options().trace.enabled())
    write_trace(run, records, call.text_.trace);
  begin_response(run, call.engine_request_id_, call.text_.response);
  // On a worker a long answer may be written at once, unless a deadline could pass meanwhile.
  const bool may_wait = ended.options().deadline || services_.loop->is_current();
  if (may_wait && weight_of_answer(run) > kAnswerWeightOnLoopMax) [[unlikely]] {
    answer_on_worker(call, ended);
    return false;
  }
  const AnswerEnd end = append_rows(run, ended, candidate_options(), call.text_);
  finish(call, end, ended, now);
  return true;
}

void Ranker::answer_on_worker(RankCall& call, runtime::Run& ended) const {
  LongAnswer::start({.loop = services_.loop,
                     .workers = services_.workers,
                     .deadline = ended.options().deadline,
                     .options = candidate_options(),
                     .done = &Ranker::answered_on_worker,
                     .data = &call,
                     .text = std::exchange(call.text_, {}),
                     .ended = runtime::RunHandle::share(ended),
                     .run = call.run_});
}

void Ranker::answered_on_worker(LongAnswer* answer, AnswerEnd end, void* data) {
  RankCall& call = *static_cast<RankCall*>(data);
  const Ranker& ranker = *call.ranker_;
  if (answer == nullptr) {
    ranker.fail_without_text(call, end);
  } else {
    call.text_ = std::move(answer->text());
    try {
      ranker.finish(call, end, answer->ended(), answer->written_at());
    } catch (const std::bad_alloc&) {
      ranker.fail_without_text(call, AnswerEnd::kNoMemory);
    }
  }
  if (call.slot_.end()) call.on_answer();
}

void Ranker::finish(RankCall& call,
                    AnswerEnd end,
                    const runtime::Run& ended,
                    base::TimePoint now) const {
  if (end != AnswerEnd::kWritten) return fail_without_text(call, end);
  const RequestRun& run = *call.run_;
  call.has_trace_ = !call.text_.trace.empty();
  call.store_round_trips_ = call.run_->store_round_trips();
  call.degraded_count_ = count_degraded(run, ended);
  if (call.degraded_count_ > 0) append_degraded(run, ended, call.degraded_nodes_);
  call.outcome_ = call.degraded_count_ == 0 ? RankOutcome::kOk : RankOutcome::kDegraded;
  call.code_.reset();
  call.request_id_ = run.request().request_id;
  call.took_ = now - call.started_;
  call.place_.release();
  if (call.outcome_ == RankOutcome::kOk) call.plan_->plan_load().note_answer(call.took_, now);
  end_response(run,
               ended,
               {.took = call.took_,
                .degraded_count = call.degraded_count_,
                .explain = call.text_.explain,
                .trace = call.text_.trace},
               call.text_.response);
  call.run_.reset();
}

void Ranker::fail(RankCall& call, std::string_view request_id, RankError error) const {
  call.place_.release();
  call.outcome_ = outcome_of(error.code);
  call.code_ = error.code;
  call.request_id_ = request_id;
  call.took_ = services_.loop->clock().now() - call.started_;
  write_error(
      request_id, call.engine_request_id_, error, call.terms_.begin_error, call.text_.response);
  call.error_message_ = std::move(error.message);
  call.run_.reset();
}

}  // namespace millrace::rank
