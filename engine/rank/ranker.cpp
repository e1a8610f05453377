#include "rank/ranker.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "rank/fragment_choice.h"
#include "rank/request_explain.h"
#include "rank/response.h"
#include "rank/run_tracer.h"
#include "runtime/run.h"

namespace millrace::rank {

Ranker::Ranker(PlanSet& plans, const LoopServices& services, const RankOptions& options)
    : plans_(plans), services_(services), options_(options) {}

void Ranker::start(RankCall& call, RequestReader& reader, std::string_view text) {
  call.ranker_ = this;
  call.started_ = services_.loop->clock().now();
  call.response_.clear();
  call.store_round_trips_ = 0;
  name_call(call);
  if (auto read = reader.read(text, *call.request_); !read)
    return refuse(call, call.request_->request_id, read.error());
  if (call.request_->scheduling.any() && !options_.allow_scheduling_overrides) {
    return refuse(call,
                  call.request_->request_id,
                  {.code = RankErrorCode::kNotAllowed,
                   .message = "'scheduling' is for operators: this server was started without "
                              "--allow_scheduling_overrides"});
  }
  auto plan = find_plan(*call.request_);
  if (plan && call.request_->explain_ids) plan = find_twin(**plan);
  if (!plan) return refuse(call, call.request_->request_id, plan.error());
  call.run_ = (*plan)->make_run();
  RequestRun& run = *call.run_;
  auto started = run.start(call.request_, services_);
  if (started) started = check_output_keys(run);
  if (!started) return refuse(call, run.request().request_id, started.error());

  runtime::RunOptions options{.priority = run.request().priority,
                              .loop = services_.loop,
                              .inlining = run.request().scheduling};
  const auto limit = run.request().deadline ? run.request().deadline : options_.deadline;
  if (limit) options.deadline = call.started_ + *limit;
  if (services_.tracer != nullptr)
    options.trace = services_.tracer->begin(**plan, run.request().trace);
  const runtime::RunObserver observer{.on_answer = &Ranker::answered, .data = &call};
  const auto handle = (*plan)->runs().submit(*services_.workers, call.run_, options, observer);
  if (!handle) {
    if (options.trace.enabled()) services_.tracer->forget(options.trace.trace_id);
    refuse(call,
           run.request().request_id,
           {.code = rank_code_of(handle.error().code()), .message = handle.error().message()});
  }
}

void Ranker::name_call(RankCall& call) {
  std::array<char, 24> text{'e'};
  const std::uint64_t number = next_id_.fetch_add(1, std::memory_order_relaxed);
  const auto end = std::to_chars(text.data() + 1, text.data() + text.size(), number).ptr;
  call.engine_request_id_.assign(text.data(), end);
}

std::expected<LoadedPlan*, RankError> Ranker::find_plan(const Request& request) const {
  LoadedPlan* const plan = request.plan.empty() ? plans_.default_plan() : plans_.find(request.plan);
  if (plan == nullptr) {
    const auto names = plans_.names();
    return std::unexpected(
        RankError{.code = RankErrorCode::kUnknownPlan,
                  .message = request.plan.empty()
                                 ? "The request names no plan and there is no default; set 'plan'"
                                 : base::format("No plan '{}' is loaded{}",
                                                request.plan,
                                                base::did_you_mean(request.plan, names))});
  }
  if (!request.plan_version.empty() && request.plan_version != plan->plan().version) {
    return std::unexpected(
        RankError{.code = RankErrorCode::kUnknownVersion,
                  .message = base::format("The plan '{}' has version '{}', not '{}'",
                                          plan->plan().name,
                                          plan->plan().version,
                                          request.plan_version)});
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
  const trace::TraceContext& traced = ended.options().trace;
  if (ended.outcome() != runtime::RunOutcome::kOk) {
    if (traced.enabled()) ranker.services_.tracer->forget(traced.trace_id);
    return ranker.refuse(call, run.request().request_id, error_of(run, ended));
  }
  std::string trace;
  if (traced.enabled()) trace = ranker.services_.tracer->end(traced.trace_id, run);
  call.explain_.clear();
  if (run.request().explain_ids)
    explain_request(run, ended, ranker.options_.ids_as_strings, call.explain_);
  call.store_round_trips_ = call.run_->store_round_trips();
  call.took_ = ranker.services_.loop->clock().now() - call.started_;
  write_response(run,
                 ended,
                 {.engine_request_id = call.engine_request_id_,
                  .took = call.took_,
                  .ids_as_strings = ranker.options_.ids_as_strings,
                  .explain = call.explain_,
                  .trace = trace},
                 call.candidates_,
                 call.response_);
  ranker.end(call, true);
}

void Ranker::refuse(RankCall& call, std::string_view request_id, const RankError& error) {
  call.took_ = services_.loop->clock().now() - call.started_;
  write_error(request_id, call.engine_request_id_, error, call.response_);
  end(call, false);
}

void Ranker::end(RankCall& call, bool ok) {
  call.ok_ = ok;
  call.run_.reset();
  call.on_answer();
}

}  // namespace millrace::rank
