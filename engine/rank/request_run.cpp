#include "rank/request_run.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "base/result.h"
#include "rank/given_values.h"
#include "rank/request_values.h"
#include "rank/row_weight.h"
#include "rows/batch.h"
#include "rows/gather.h"
#include "rows/row_scratch.h"
#include "tasks/task.h"

namespace millrace::rank {
namespace {

using plan::CompiledNode;

const NamedValue* find_value(std::span<const NamedValue> values, std::string_view name) {
  const auto found = std::find_if(
      values.begin(), values.end(), [&](const NamedValue& value) { return value.name == name; });
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

RequestRun::RequestRun(const RunShares& shares)
    : plan_(shares.plan),
      topology_(shares.topology),
      spaces_(shares.spaces),
      slots_(plan_.nodes().size()),
      rows_(shares.reads),
      own_round_trips_(slots_.size()),
      waited_round_trips_(slots_.size()) {}

std::expected<void, RankError> RequestRun::start(std::unique_ptr<Request>& request,
                                                 const LoopServices& services) {
  std::swap(request_, request);
  services_ = &services;
  if (auto resolved = resolve_overrides(); !resolved) return resolved;
  for (const plan::ExternalName& field : plan_.plan().request_fields) {
    const NamedValue* const given = find_value(request_->params, field.name);
    if (given != nullptr && !fits(given->value, field.type)) {
      return refuse_given(request_->document,
                          {"params", field.name},
                          RankErrorCode::kWrongType,
                          base::format("'params.{}' must be {}, as the plan's $req.{} is",
                                       field.name,
                                       rows::to_string(field.type),
                                       field.name));
    }
  }
  if (request_->candidates) {
    auto checked = check_candidates(*request_, plan_.registry());
    if (!checked) return checked;
  }
  resolve_request_fields();
  given_text_bytes_ = text_bytes_of(params_) + text_bytes_of(request_fields_);
  context_ = {
      .user_id = request_->user_id,
      .seed = request_->seed,
      .now = std::chrono::floor<std::chrono::milliseconds>(services.wall_clock->now()),
      .fields = request_fields_,
      .candidates = request_->candidates ? &*request_->candidates : nullptr,
      .clients = services.clients,
      .clock = &services.loop->clock(),
      .loop = services.loop,
      .workers = services.workers,
      .scratches = services.scratches,
      .budget = &budget_,
      .pinned = services.pins != nullptr && plan_.reads_graph() ? services.pins->pin() : nullptr};
  budget_.open(services.row_limits);
  open_rows(request_->explain_ids.has_value());
  return {};
}

void RequestRun::open_rows(bool keeps_all) {
  rows_.open(keeps_all);
  if (keeps_all) kept_inputs_.resize(slots_.size());
}

std::expected<void, RankError> RequestRun::resolve_overrides() {
  const auto defaults = plan_.default_params();
  params_.assign(defaults.begin(), defaults.end());
  has_overrides_ = false;
  for (const NamedValue& given : request_->param_overrides) {
    const auto refuse = [&](RankErrorCode code, std::string message) {
      return refuse_given(
          request_->document, {"param_overrides", given.name}, code, std::move(message));
    };
    const plan::FieldInfo* const info = plan_.registry().find_param(given.name);
    if (info == nullptr) {
      std::vector<std::string_view> known;
      for (const plan::FieldInfo& param : plan_.registry().params()) known.emplace_back(param.name);
      return refuse(RankErrorCode::kUnknownParam,
                    base::format("No param '{}' is registered{}",
                                 base::shortened(given.name),
                                 base::did_you_mean(given.name, known)));
    }
    if (!info->allow_write) {
      return refuse(RankErrorCode::kNotAllowed,
                    base::format("The param '{}' may not be overridden", given.name));
    }
    const bool is_null = std::holds_alternative<std::monostate>(given.value);
    if (!fits(given.value, info->type) || (is_null && !info->nullable)) {
      return refuse(RankErrorCode::kWrongType,
                    base::format("'param_overrides.{}' must be {}{}",
                                 given.name,
                                 rows::to_string(info->type),
                                 info->nullable ? " or null" : ""));
    }
    const auto& names = plan_.plan().params;
    for (std::size_t index = 0; index < names.size(); ++index) {
      if (names[index].name != given.name) continue;
      params_[index] = given.value;
      has_overrides_ = true;
    }
  }
  return {};
}

void RequestRun::resolve_request_fields() {
  request_fields_.clear();
  for (const plan::ExternalName& field : plan_.plan().request_fields) {
    rows::Value value;
    if (const NamedValue* const given = find_value(request_->params, field.name)) {
      value = given->value;
    } else if (field.name == "user_id") {
      value = request_->user_id;
    } else if (field.name == "request_id" && !request_->request_id.empty()) {
      value = request_->request_id;
    } else if (field.name == "limit" && request_->limit) {
      value = *request_->limit;
    } else if (field.name == "seed") {
      value = static_cast<std::int64_t>(request_->seed);
    } else if (field.name == "deadline_ms" && request_->deadline) {
      value = std::chrono::duration_cast<std::chrono::milliseconds>(*request_->deadline).count();
    }
    request_fields_.push_back(value);
  }
}

void RequestRun::clear() {
  for (Slot& slot : slots_) {
    slot.stats = {};
    slot.made.reset();
    slot.error.reset();
    slot.failed.store(false, std::memory_order_relaxed);
  }
  rows_.clear();
  for (auto& inputs : kept_inputs_) inputs.clear();
  std::fill(own_round_trips_.begin(), own_round_trips_.end(), 0);
  times_.close();
  call_logs_.clear();
  context_.pinned.reset();
  services_ = nullptr;
}

void RequestRun::log_store_calls() {
  call_logs_.assign(slots_.size(), tasks::StoreCallLog(*context_.clock));
  for (std::size_t index = 0; index < slots_.size(); ++index)
    slots_[index].stats.calls = &call_logs_[index];
}

const tasks::StoreCallLog* RequestRun::find_store_calls(std::uint32_t index) const {
  if (call_logs_.empty()) return nullptr;
  // A body that is not waited for any more may still be writing.
  const bool has_returned =
      rows_.is_published(index) || slots_[index].failed.load(std::memory_order_acquire);
  return has_returned ? &call_logs_[index] : nullptr;
}

// --- Nodes

base::Status RequestRun::prepare_call(std::uint32_t index,
                                      BodySpace& space,
                                      const runtime::NodeCall& call) {
  if (!rows_.try_begin_reading(index))
    return base::fail(base::ErrorCode::kCancelled, "The time of the node is over");
  base::Status gathered = gather_inputs(index, space);
  rows_.end_reading(index);
  if (!gathered) return gathered;
  MR_TRY_STATUS(bind_exprs(index, space));
  const std::uint32_t viewer = plan_.plan().viewer_node;
  std::optional<base::TimePoint> deadline;
  if (const auto left = call.remaining()) deadline = context_.clock->now() + *left;
  if (const auto timeout = topology_.spec(index).timeout) {
    const base::TimePoint own = context_.clock->now() + *timeout;
    deadline = deadline ? std::min(*deadline, own) : own;
  }
  space.context = {.node = &plan_.nodes()[index].prepared,
                   .inputs = space.inputs,
                   .exprs = space.exprs,
                   .viewer = viewer != plan::kNoPlanNode ? rows_of(viewer) : nullptr,
                   .stats = &slots_[index].stats,
                   .scratch = nullptr,
                   .arena = &space.arena,
                   .stop = call.stop_token(),
                   .call = &call,
                   .deadline = deadline};
  return {};
}

base::Status RequestRun::gather_inputs(std::uint32_t index, BodySpace& space) const {
  const PlanNode& node = plan_.nodes()[index];
  const std::vector<plan::PlanInput>& inputs = node.prepared.node->inputs;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    if (const auto* const producer = std::get_if<plan::NodeInput>(&inputs[input])) {
      const rows::RowSet* const rows = rows_of(producer->node);
      MR_CHECK(rows != nullptr);  // the scheduler runs a node after its producers only
      space.inputs.push_back(*rows);
    } else if (const auto* const field = std::get_if<plan::RequestInput>(&inputs[input])) {
      MR_TRY(rows::RowSet rows, request_input(*field));
      space.inputs.push_back(std::move(rows));
    } else {
      space.inputs.push_back(*node.constant_inputs[input]);
    }
  }
  return {};
}

base::Result<rows::RowSet> RequestRun::request_input(const plan::RequestInput& input) const {
  if (input.field == "user_id") return rows_of_ids({&request_->user_id, 1});
  const NamedValue* const given = find_value(request_->params, input.field);
  if (given == nullptr || std::holds_alternative<std::monostate>(given->value))
    return rows_of_ids({});
  if (const auto* const id = std::get_if<std::int64_t>(&given->value)) return rows_of_ids({id, 1});
  return base::fail(base::ErrorCode::kInvalidArgument,
                    base::format("$req.{} is an input and must be an id", input.field),
                    base::format("params.{}", input.field));
}

base::Status RequestRun::bind_exprs(std::uint32_t index, BodySpace& space) const {
  const PlanNode& node = plan_.nodes()[index];
  space.exprs.resize(node.prepared.node->params.size());
  space.own_exprs.resize(node.exprs.size());
  for (std::size_t expr = 0; expr < node.exprs.size(); ++expr) {
    const PlanExpr& source = node.exprs[expr];
    if (source.bound && !(source.reads_params && has_overrides_)) {
      space.exprs[source.param_index] = &*source.bound;
      continue;
    }
    std::vector<rows::Value> viewer;
    if (source.reads_viewer) {
      const rows::RowSet* const rows = rows_of(plan_.plan().viewer_node);
      for (const plan::ExternalName& field : plan_.plan().viewer_fields) {
        const rows::Column* const column =
            rows != nullptr && !rows->empty() ? rows->batch()->find_column(field.name) : nullptr;
        viewer.push_back(column != nullptr ? column->value_at(rows->row_at(0)) : rows::Value());
      }
    }
    MR_TRY(space.own_exprs[expr],
           expr::BoundExpr::bind(source.compiled,
                                 {.params = params_,
                                  .request = request_fields_,
                                  .viewer = viewer,
                                  .now = context_.now}));
    space.exprs[source.param_index] = &*space.own_exprs[expr];
  }
  return {};
}

void RequestRun::note_failure(std::uint32_t index, const base::Error& error) {
  Slot& slot = slots_[index];
  if (plan_.plan().nodes[index].on_failure != plan::OnFailure::kFail)
    slot.error = std::make_unique<base::Error>(error);
  slot.failed.store(true, std::memory_order_release);
}

RankError RequestRun::degraded_cause(std::uint32_t index) const {
  const Slot& slot = slots_[index];
  if (slot.failed.load(std::memory_order_acquire) && slot.error)
    return {.code = rank_code_of(slot.error->code()), .message = slot.error->message()};
  if (const auto limit = topology_.spec(index).timeout) {
    const double ms = std::chrono::duration<double, std::milli>(*limit).count();
    return {.code = RankErrorCode::kNodeTimeout,
            .message = base::format("It was not done in time; its limit is {} ms", ms)};
  }
  return {.code = RankErrorCode::kDeadlineExceeded,
          .message = "It was not done before the deadline of the request"};
}

base::Status RequestRun::keep(std::uint32_t index,
                              BodySpace& space,
                              base::Result<rows::RowSet> made,
                              const runtime::NodeCall& call) {
  // Tasks that multiply rows ask before they take memory. Others, those of plugins too, end here.
  if (made && made->size() > budget_.limits().rows_max) [[unlikely]] {
    const tasks::TaskContext context(context_, space.context);
    if (base::Status fits = context.stop_check().check_rows(made->size()); !fits)
      made = std::unexpected(std::move(fits).error());
  }
  if (rows_.keeps_all()) kept_inputs_[index] = std::move(space.inputs);
  if (made) {
    slots_[index].made = *std::move(made);
    return {};
  }
  // A body that was told to stop returns an error too, but then the reason is the timeout or the
  // deadline, not that error.
  if (call.is_wanted()) note_failure(index, made.error());
  rows_.note_failed(index);
  return std::unexpected(std::move(made).error());
}

bool RequestRun::run_node(std::uint32_t index, runtime::NodeCall& call) {
  if (times_.is_open()) [[unlikely]]
    times_.start(index, context_.clock->now());
  const base::Lease<BodySpace> space = spaces_.acquire();
  const tasks::PreparedNode& node = plan_.nodes()[index].prepared;
  const auto run = [&]() -> base::Result<rows::RowSet> {
    MR_TRY_STATUS(prepare_call(index, *space, call));
    const tasks::ScratchLease scratch = services_->scratches->acquire();
    space->context.scratch = scratch.get();
    return node.body->run({.inputs = space->inputs,
                           .params = node.params.get(),
                           .context = tasks::TaskContext(context_, space->context)});
  };
  base::Status kept = keep(index, *space, run(), call);
  if (times_.is_open()) [[unlikely]]
    times_.end(index, context_.clock->now());
  if (!kept) call.set_error(std::move(kept).error());
  return kept.has_value();
}

loop::Task<base::Status> RequestRun::run_async_node(std::uint32_t index, runtime::NodeCall call) {
  if (times_.is_open()) [[unlikely]]
    times_.start(index, context_.clock->now());
  const base::Lease<BodySpace> space = spaces_.acquire();
  if (base::Status ready = prepare_call(index, *space, call); !ready)
    co_return keep(index, *space, std::unexpected(std::move(ready).error()), call);
  space->context.scratch = services_->loop_scratch;
  const tasks::PreparedNode& node = plan_.nodes()[index].prepared;
  base::Result<rows::RowSet> made =
      co_await node.body->run_async({.inputs = space->inputs,
                                     .params = node.params.get(),
                                     .context = tasks::TaskContext(context_, space->context)});
  if (times_.is_open()) [[unlikely]]
    times_.end(index, context_.clock->now());
  co_return keep(index, *space, std::move(made), call);
}

std::uint32_t RequestRun::weight_of(const rows::RowSet& rows) const {
  std::size_t text_bytes = given_text_bytes_ + text_bytes_of(rows);
  const std::uint32_t viewer = plan_.plan().viewer_node;
  const rows::RowSet* const viewer_row = viewer != plan::kNoPlanNode ? rows_of(viewer) : nullptr;
  if (viewer_row != nullptr) text_bytes += text_bytes_of(*viewer_row);
  return weight(rows.size(), text_bytes);
}

void RequestRun::publish(std::uint32_t index, runtime::NodeCall& call) {
  Slot& slot = slots_[index];
  own_round_trips_[index] = slot.stats.store_round_trips;
  call.set_row_count(weight_of(*slot.made));
  if (times_.is_open()) [[unlikely]]
    times_.set_rows(index, slot.made->size());
  rows_.publish(index, *std::exchange(slot.made, std::nullopt));
}

namespace {

// Gives rows of a node's first input the columns that rows of the node have: null where the input
// lacks them. If the rows of the node are other entities than those of its input, only the ids of
// the input's columns stay.
base::Result<rows::RowSet> stand_in_rows(const PlanNode& node, rows::RowSet rows) {
  rows::RowScratch scratch(0);
  rows::BatchRef batch = rows.batch();
  if (plan::makes_entities(*node.prepared.node->task)) {
    batch = batch->with_only({});
  }
  const rows::RowSet whole(batch);
  for (const rows::NamedColumn& wanted : node.empty_rows->batch()->columns()) {
    if (batch->find_column(wanted.name) != nullptr) continue;
    const rows::ColumnPiece nulls{.rows = &whole, .column = nullptr};
    MR_TRY(rows::ColumnRef column,
           rows::append_pieces(wanted.column->type(), std::span(&nulls, 1), scratch));
    MR_TRY(batch, batch->with_column(wanted.name, std::move(column)));
  }
  return rows.with_batch(std::move(batch));
}

}  // namespace

bool RequestRun::use_fallback(std::uint32_t index, runtime::NodeCall& call) {
  const PlanNode& node = plan_.nodes()[index];
  rows::RowSet rows = *node.empty_rows;
  if (node.prepared.node->on_failure == plan::OnFailure::kUseInput) {
    const plan::PlanInput& input = node.prepared.node->inputs.front();
    std::optional<rows::RowSet> passed;
    if (const auto* const producer = std::get_if<plan::NodeInput>(&input)) {
      // A node can time out before its input has rows; then there is nothing to pass on.
      if (const rows::RowSet* const found = rows_of(producer->node)) passed = *found;
    } else if (const auto* const field = std::get_if<plan::RequestInput>(&input)) {
      if (auto given = request_input(*field)) passed = *std::move(given);
    } else {
      passed = *node.constant_inputs.front();
    }
    if (auto stand_in = stand_in_rows(node, std::move(passed).value_or(rows)))
      rows = *std::move(stand_in);
  }
  call.set_row_count(weight_of(rows));
  rows_.stand_in(index, std::move(rows));
  return true;
}

std::uint64_t RequestRun::store_round_trips() {
  std::uint64_t most = 0;
  std::fill(waited_round_trips_.begin(), waited_round_trips_.end(), 0);
  for (const std::uint32_t index : topology_.topological_order()) {
    const std::uint64_t count = waited_round_trips_[index] + own_round_trips_[index];
    most = std::max(most, count);
    for (const runtime::Edge& edge : topology_.dependents(index))
      waited_round_trips_[edge.target] = std::max(waited_round_trips_[edge.target], count);
  }
  return most;
}

const rows::RowSet* RequestRun::input_of(std::uint32_t index, std::size_t input) const {
  const PlanNode& node = plan_.nodes()[index];
  const plan::PlanInput& from = node.prepared.node->inputs[input];
  if (const auto* const producer = std::get_if<plan::NodeInput>(&from))
    return rows_of(producer->node);
  if (node.constant_inputs[input]) return &*node.constant_inputs[input];
  // A body that timed out may still be writing to `inputs`.
  return rows_.is_published(index) ? &kept_inputs_[index][input] : nullptr;
}

}  // namespace millrace::rank
