#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/problems/problem_report.h"
#include "base/text_place.h"
#include "plan/param_value.h"
#include "plan/task_catalog.h"
#include "rows/column.h"

namespace millrace::plan {

inline constexpr std::uint32_t kNoPlanNode = UINT32_MAX;

/// Where an input's rows come from.
struct NodeInput {
  std::uint32_t node = 0;
};
struct RequestInput {
  std::string field;  ///< `$req.field`: one row per id, or one row with the value
};
struct ConstantInput {
  std::vector<std::int64_t> ids;  ///< a JSON literal: the ids of its rows
};
using PlanInput = std::variant<NodeInput, RequestInput, ConstantInput>;

/// What happens when a node fails or times out.
enum class OnFailure : std::uint8_t { kFail, kUseEmpty, kUseInput, kUseNode };

/// What happens to a row for which the node's expression fails.
enum class RowErrorRule : std::uint8_t { kNull, kDrop, kFail };

enum class PlanPriority : std::uint8_t { kHigh, kNormal, kLow, kBackground };

/// A key that a store task must fetch, and its type.
struct FetchedKey {
  std::string key;
  rows::ColumnType type = rows::ColumnType::kInt64;
};

/// One node after checking: names have become indices, and every param has the type of its spec.
struct CompiledNode {
  std::string id;
  const TaskSpec* task = nullptr;
  std::vector<PlanInput> inputs;
  /// Nodes that must finish before this one starts although their rows are not inputs: the viewer
  /// node, when an expression of this node reads `viewer.x`.
  std::vector<std::uint32_t> waits_for;
  /// In the order of `task->params`.
  std::vector<ParamValue> params;
  /// Keys that the task fetches (`writes_on_demand`), after columns nobody reads were removed.
  std::vector<FetchedKey> fetched_keys;
  /// Columns that the rows of a fan-out take along from the first input, or those of a join from
  /// its other input, as far as something downstream reads them.
  std::vector<KeyMove> taken_columns;
  /// Names of all columns of the node's rows, `id` first; for explain and checks.
  std::vector<std::string> columns;
  std::optional<bool> inline_hint;
  base::Duration cost_estimate{};  ///< 0 = unknown
  std::optional<base::Duration> timeout;
  std::optional<PlanPriority> priority;
  OnFailure on_failure = OnFailure::kFail;
  std::uint32_t fallback_node = kNoPlanNode;  ///< set for kUseNode
  RowErrorRule on_row_error = RowErrorRule::kNull;
  bool trace = true;
  /// No output needs the node. It is there for explanations, which tell what it fetches, or because
  /// the pass that removes such nodes is off; if it fails, it has no rows.
  bool is_unused = false;
  /// Ids of the artifact's nodes that this one stands for, itself included (passes merge nodes).
  std::vector<std::string> source_ids;
  base::SourceRange source;

  /// The value of a param by name; the name must be in the spec.
  [[nodiscard]] const ParamValue& param(std::string_view name) const;
};

/// A value that expressions read from outside the rows. Expressions know it by its index in one of
/// the lists of `CompiledPlan`, which is also its index in `expr::Bindings`.
struct ExternalName {
  std::string name;
  rows::ColumnType type = rows::ColumnType::kInt64;
  bool nullable = true;
};

/// One line of the report of a pass, for `explain`.
struct PassNote {
  std::string pass;
  std::string text;
};

/// The fragments a plan is made of, and the version of each.
using FragmentVersions = std::map<std::string, std::string, std::less<>>;

/// A plan that was checked and can run. Immutable.
/// Threading: any thread. Lifetime: its catalog and registry outlive it.
struct CompiledPlan {
  std::string name;
  std::string version;  ///< empty when the artifact names none
  std::string digest;   ///< `sha256:` and 64 hex digits of the artifact's bytes
  std::string source_file;
  FragmentVersions fragments;  ///< what the artifact says it was compiled with
  std::string variant_of;      ///< name of the plan with the default versions; empty: this plan
  std::vector<CompiledNode> nodes;  ///< producers before consumers
  std::vector<std::uint32_t> outputs;
  std::vector<std::string> output_keys;  ///< `id` first; the default when a request names none
  /// Where the plan names no output keys, one flag for each of `output_keys`: rows may have the key
  /// because it could be fetched, not because the plan wrote or named it. A row without a value
  /// leaves it out of the answer.
  std::vector<bool> output_key_is_offered;
  std::vector<ExternalName> params;          ///< `$x`
  std::vector<ExternalName> request_fields;  ///< `$req.x`
  std::vector<ExternalName> viewer_fields;   ///< `viewer.x`
  std::uint32_t viewer_node = kNoPlanNode;   ///< set when viewer_fields is not empty
  std::optional<base::Duration> reserve;     ///< `reserve_ms`
  std::vector<PassNote> passes;
  /// Found while the plan was checked: it runs, but may not mean what its author meant.
  std::vector<base::Problem> warnings;

  [[nodiscard]] std::uint32_t find_node(std::string_view id) const;
};

using CompiledPlanRef = std::shared_ptr<const CompiledPlan>;

class Registry;

/// Whether a node of the plan reads an endpoint of the kind `graph`.
[[nodiscard]] bool reads_graph(const CompiledPlan& plan, const Registry& registry);

}  // namespace millrace::plan
