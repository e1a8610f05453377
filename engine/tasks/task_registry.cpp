#include "tasks/task_registry.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/result.h"
#include "expr/evaluate.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"
#include "plan/task_catalog.h"
#include "rows/column.h"
#include "tasks/prepared_node.h"
#include "tasks/task.h"
#include "tasks/task_spec_check.h"

namespace millrace::tasks {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

namespace {

/// FNV-1a, 64 bits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

expr::OnRowError to_expr(plan::RowErrorRule rule) {
  switch (rule) {
    case plan::RowErrorRule::kNull:
      return expr::OnRowError::kNull;
    case plan::RowErrorRule::kDrop:
      return expr::OnRowError::kDrop;
    case plan::RowErrorRule::kFail:
      return expr::OnRowError::kFail;
  }
  return expr::OnRowError::kNull;
}

}  // namespace

Status TaskRegistry::add(plan::TaskSpec spec, std::unique_ptr<TaskBody> body) {
  MR_TRY_STATUS(check_task_spec(spec));
  if ((spec.kind == plan::TaskKind::kAsync) != body->is_async()) {
    return fail(
        ErrorCode::kInvalidArgument,
        "A task of kind async needs a coroutine as its body, and a coroutine needs kind async",
        spec.op);
  }
  MR_TRY_STATUS(check_free(spec));
  insert(std::make_unique<Entry>(Entry{.spec = std::move(spec), .body = std::move(body)}));
  return {};
}

Status TaskRegistry::merge(TaskRegistry other) {
  for (const auto& [op, entry] : other.entries_) MR_TRY_STATUS(check_free(entry->spec));
  for (auto& [op, entry] : other.entries_) insert(std::move(entry));
  return {};
}

const plan::TaskSpec* TaskRegistry::find_task(std::string_view op) const {
  const Entry* entry = find(op);
  return entry == nullptr ? nullptr : &entry->spec;
}

std::vector<const plan::TaskSpec*> TaskRegistry::tasks() const {
  std::vector<const plan::TaskSpec*> specs;
  specs.reserve(entries_.size());
  for (const auto& [op, entry] : entries_) specs.push_back(&entry->spec);
  return specs;
}

const TaskBody* TaskRegistry::find_body(std::string_view op) const {
  const Entry* entry = find(op);
  return entry == nullptr ? nullptr : entry->body.get();
}

Result<PreparedNode> TaskRegistry::prepare(const plan::CompiledNode& node,
                                           const LoadContext& load) const {
  const Entry* entry = find(node.task->op);
  if (entry == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& [op, ignored] : entries_) known.emplace_back(op);
    return fail(ErrorCode::kNotFound,
                "No such task: " + node.task->op + base::did_you_mean(node.task->op, known),
                node.id);
  }
  PreparedNode prepared{.node = &node, .body = entry->body.get(), .params = nullptr};
  prepared.seed_salt = hash_of(node.id);
  prepared.on_row_error = to_expr(node.on_row_error);
  MR_TRY(prepared.params, entry->body->load_params(node, load));
  return prepared;
}

Status TaskRegistry::check_node(const plan::CompiledNode& node,
                                const plan::CompiledPlan& plan,
                                const plan::Registry& registry) const {
  const LoadContext load{
      .plan = &plan,
      .endpoint_name = [&](plan::EndpointId id) { return registry.endpoint(id).name; },
      .key_type = [&](std::string_view key) -> std::optional<rows::ColumnType> {
        const plan::FieldInfo* const info = registry.find_key(key);
        return info != nullptr ? std::optional(info->type) : std::nullopt;
      }};
  const Result<PreparedNode> prepared = prepare(node, load);
  if (!prepared) return std::unexpected(prepared.error());
  return {};
}

const TaskRegistry::Entry* TaskRegistry::find(std::string_view op) const {
  if (const auto found = entries_.find(op); found != entries_.end()) return found->second.get();
  const auto found = aliases_.find(op);
  return found == aliases_.end() ? nullptr : found->second;
}

Status TaskRegistry::check_free(const plan::TaskSpec& spec) const {
  const auto check = [&](const std::string& name) -> Status {
    if (find(name) == nullptr) return {};
    return fail(ErrorCode::kInvalidArgument, "Two tasks have the same op: " + name, spec.op);
  };
  MR_TRY_STATUS(check(spec.op));
  for (const std::string& alias : spec.aliases) MR_TRY_STATUS(check(alias));
  return {};
}

void TaskRegistry::insert(std::unique_ptr<Entry> entry) {
  for (const std::string& alias : entry->spec.aliases) aliases_.emplace(alias, entry.get());
  std::string op = entry->spec.op;
  entries_.emplace(std::move(op), std::move(entry));
}

}  // namespace millrace::tasks
