#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "plan/param_value.h"
#include "rows/column.h"

// What the compiler knows about tasks: data, no code. Module `tasks` implements the catalog; `plan`
// does not include it, so that a plan can be checked without the code of any task.

namespace millrace::plan {

class Registry;
struct CompiledNode;
struct CompiledPlan;

/// Where a task's body runs; its author declares it.
enum class TaskKind : std::uint8_t {
  kAsync,  ///< a coroutine on the loop of the run
  kCpu,    ///< a worker, unless it is inlined
  kCheap,  ///< the thread that completed its last input
};

/// What a param may hold, and how it is checked.
enum class ParamType : std::uint8_t {
  kBool,
  kInt,     ///< within [minimum, maximum]
  kFloat,   ///< an int is accepted; within [minimum, maximum]
  kString,  ///< UTF-8, at most 64 KiB
  kChoice,  ///< one of `choices`, given as a string
  kIntList,
  kFloatList,
  kStringList,
  kKey,        ///< name of a key that the task reads from its first input
  kKeyList,    ///< several of them, or one as a bare string
  kOutKey,     ///< name of a registered, writable key that the task writes
  kOrder,      ///< `"score"`, `["score", …]` or `[{"key": "score", "order": "desc"}, …]`
  kExpr,       ///< expression over the first input's keys
  kPredicate,  ///< expression over the first input's keys that must be bool
  kEndpoint,   ///< name of an endpoint
  kKeyMap,     ///< columns to take from an input: `["name", …]`, or `{"author_name": "name", …}` to
               ///< give them other names, which must be writable keys of the same type
  kKeyPattern,  ///< text with names in braces, as `follow:{id}` or `trending`; they are keys of the
                ///< first input or, in a node without inputs, fields of the request
  kNode,        ///< slot of another node; becomes an input after the positional ones
};

/// One param of a task. `fallback` is the value of an absent param; monostate for none.
struct ParamSpec {
  std::string name;
  ParamType type = ParamType::kInt;
  bool required = false;
  ParamValue fallback = {};
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  std::vector<std::string> choices = {};
  /// For kKey, kKeyList, kOutKey and kKeyMap: the types that the key may have, for kKeyMap the key
  /// that is read; empty for any.
  std::vector<rows::ColumnType> key_types = {};
  /// For kKeyMap: the new columns hold values computed from those of the keys. So they are writable
  /// keys in every case, of type `computed_type` or, if that is not set, of the type of the key.
  bool is_computed = false;
  bool is_never_null = false;  ///< of computed values; else the keys must be nullable ones
  std::optional<rows::ColumnType> computed_type = {};
  /// For kKeyList and kKeyMap: the kNode param whose rows the keys are read from; empty: the first
  /// input.
  std::string read_from = {};
  std::string doc = {};
};

/// Which columns the rows of a node have.
enum class OutputColumns : std::uint8_t {
  kSource,      ///< `id` and what the task writes
  kFirstInput,  ///< those of the first input, and what the task writes
  kUnion,       ///< those of all inputs, and what the task writes
  kFanOut,  ///< rows of other entities: `id`, `parent_id`, what params of type kKeyMap take along
            ///< and what the task writes, nothing else of the first input; `parent_id` only if
            ///< there is one
  kJoin,    ///< those of the first input, and those that `TaskSpec::join` says
  kGroups,  ///< rows that stand for several of the first input: `id`, the keys of params of type
            ///< kKeyList, what params of type kKeyMap make and what the task writes, nothing else
};

/// How a task matches the rows of its first input with those of a second one. The fields name
/// params.
struct JoinSpec {
  std::string rhs;      ///< kNode: the other input
  std::string by;       ///< kKeyList: keys of the first input
  std::string rhs_by;   ///< kKeyList: their names in the other input; left out: the same
  std::string columns;  ///< kKeyMap: columns to take from it; left out: all but `id` and `rhs_by`
  std::string kind;     ///< kChoice
  std::vector<std::string> kinds_without_columns;  ///< words of `kind` that take no columns
};

/// How the rows of a node relate to those of its first input. Passes rely on it.
enum class OutputRows : std::uint8_t {
  kSource,   ///< rows from elsewhere
  kSame,     ///< the same rows in the same order
  kSubset,   ///< some of them, in the same order
  kReorder,  ///< all of them in another order
  kOther,    ///< anything else
};

/// Everything the compiler, the manifest and the generated bindings know about a task.
struct TaskSpec {
  std::string op;
  std::vector<std::string> aliases = {};
  std::string doc = {};
  TaskKind kind = TaskKind::kCpu;
  std::vector<ParamSpec> params = {};
  /// Number of positional inputs; params of type kNode add further inputs.
  std::uint32_t inputs_min = 1;
  std::uint32_t inputs_max = 1;
  OutputColumns columns = OutputColumns::kFirstInput;
  OutputRows rows = OutputRows::kOther;
  /// Keys read and written whatever the params say. Params of type kKey, kKeyList, kOrder, kExpr,
  /// kPredicate, kKeyPattern and kKeyMap add to the reads, those of type kOutKey and kKeyMap to the
  /// writes.
  std::vector<std::string> reads = {};
  std::vector<std::string> writes = {};
  /// Set for columns = kJoin.
  std::optional<JoinSpec> join = {};
  /// Of `writes`: keys that rows keep if they come with them.
  std::vector<std::string> keeps = {};
  /// The task can supply registered keys on demand (a hash of fields): it writes those that
  /// something downstream reads, whatever its input has; `keys_param`, when set and given, names
  /// the kKeyList param that lists them (its keys are then written, not read). Keys that plans may
  /// write are supplied only if they are listed.
  bool writes_on_demand = false;
  std::string keys_param = {};
  /// The param, a kString or a kKeyPattern, that begins with the prefix of the hashes that keys are
  /// fetched from. A key that says whose it is (`FieldInfo::of`) is supplied by these only.
  std::string prefix_param = {};
  /// The body can fail for reasons outside the plan (a store, a peer). Decides "always answers"
  /// together with `kind`.
  bool can_fail = false;
  /// Equal params and inputs give equal rows within one request, so two such nodes may become one.
  bool shareable = true;
  base::Duration cost_fixed{};
  base::Duration cost_per_row{};
  /// For cheap tasks: with more input rows than this a node goes to a worker, because nothing may
  /// keep a loop for long.
  std::uint32_t cheap_rows_max = 100'000;
};

/// Says whether the rows of a task are other entities than those of its input, which therefore pass
/// on only what the task is told to take along.
[[nodiscard]] inline bool makes_entities(const TaskSpec& task) {
  return task.columns == OutputColumns::kFanOut || task.columns == OutputColumns::kGroups;
}

/// Finds tasks by op or alias.
/// Threading: any thread once registration is over. Lifetime: outlives every compiled plan.
class TaskCatalog {
 public:
  virtual ~TaskCatalog() = default;
  /// Gives the spec, or nullptr.
  [[nodiscard]] virtual const TaskSpec* find_task(std::string_view op) const = 0;
  /// All specs, by op.
  [[nodiscard]] virtual std::vector<const TaskSpec*> tasks() const = 0;
  /// Says what a task has against the params of a node that are well-formed one by one, as two that
  /// exclude each other. The error's place is `NODE.params.PARAM`, or less of it.
  [[nodiscard]] virtual base::Status check_node(const CompiledNode& node,
                                                const CompiledPlan& plan,
                                                const Registry& registry) const {
    static_cast<void>(node);
    static_cast<void>(plan);
    static_cast<void>(registry);
    return {};
  }
};

}  // namespace millrace::plan
