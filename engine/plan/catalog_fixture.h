#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plan/param_value.h"
#include "plan/registry/registry.h"
#include "plan/task_catalog.h"
#include "rows/column.h"

namespace millrace::plan {

/// A catalog that holds the specs a test gives it.
class StubCatalog final : public TaskCatalog {
 public:
  explicit StubCatalog(std::vector<TaskSpec> tasks) : tasks_(std::move(tasks)) {
    std::ranges::sort(tasks_, {}, &TaskSpec::op);
  }

  [[nodiscard]] const TaskSpec* find_task(std::string_view op) const override {
    for (const TaskSpec& task : tasks_) {
      if (task.op == op || std::ranges::find(task.aliases, op) != task.aliases.end()) return &task;
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<const TaskSpec*> tasks() const override {
    std::vector<const TaskSpec*> all;
    for (const TaskSpec& task : tasks_) all.push_back(&task);
    return all;
  }

 private:
  std::vector<TaskSpec> tasks_;
};

namespace fixture {

inline ParamSpec required(std::string name, ParamType type) {
  return {.name = std::move(name), .type = type, .required = true};
}

inline ParamSpec optional(std::string name, ParamType type, ParamValue fallback = {}) {
  return {.name = std::move(name), .type = type, .fallback = std::move(fallback)};
}

inline ParamSpec count_param(std::string name, ParamValue fallback = {}) {
  return {.name = std::move(name),
          .type = ParamType::kInt,
          .required = std::holds_alternative<std::monostate>(fallback),
          .fallback = std::move(fallback),
          .minimum = 0,
          .maximum = 100'000};
}

inline TaskSpec fan_out(std::string op) {
  const std::string pattern = op + ":{id}";
  return {.op = std::move(op),
          .kind = TaskKind::kAsync,
          .params = {required("endpoint", ParamType::kEndpoint),
                     count_param("fanout", std::int64_t{100}),
                     optional("pattern", ParamType::kKeyPattern, pattern),
                     optional("carry", ParamType::kKeyMap, std::vector<KeyMove>{})},
          .columns = OutputColumns::kFanOut,
          .rows = OutputRows::kOther,
          .can_fail = true,
          .cost_fixed = std::chrono::milliseconds(1)};
}

/// A fan-out whose input may be left out.
inline TaskSpec list_task() {
  TaskSpec list = fan_out("list");
  list.params[2] = required("pattern", ParamType::kKeyPattern);
  list.inputs_min = 0;
  return list;
}

/// A fan-out that writes a key of its own besides.
inline TaskSpec scored_list_task() {
  TaskSpec list = fan_out("scored_list");
  list.params.insert(list.params.begin(), optional("with_scores", ParamType::kOutKey));
  return list;
}

inline std::vector<TaskSpec> fetching_tasks() {
  return {{.op = "viewer",
           .kind = TaskKind::kAsync,
           .params = {required("endpoint", ParamType::kEndpoint),
                      optional("pattern", ParamType::kKeyPattern, "user:{user_id}")},
           .inputs_min = 0,
           .inputs_max = 0,
           .columns = OutputColumns::kSource,
           .rows = OutputRows::kSource,
           .writes_on_demand = true,
           .prefix_param = "pattern",
           .can_fail = true,
           .cost_fixed = std::chrono::milliseconds(1)},
          fan_out("follow"),
          fan_out("recommendation"),
          fan_out("media"),
          list_task(),
          scored_list_task(),
          {.op = "hydrate",
           .kind = TaskKind::kAsync,
           .params = {required("endpoint", ParamType::kEndpoint),
                      optional("prefix", ParamType::kString, "item"),
                      optional("keys", ParamType::kKeyList)},
           .rows = OutputRows::kSame,
           .writes_on_demand = true,
           .keys_param = "keys",
           .prefix_param = "prefix",
           .can_fail = true,
           .cost_fixed = std::chrono::milliseconds(1)},
          {.op = "http_fetch",
           .kind = TaskKind::kAsync,
           .params = {optional("endpoint", ParamType::kEndpoint),
                      optional("out_key", ParamType::kOutKey)},
           .rows = OutputRows::kSame,
           .can_fail = true,
           .cost_fixed = std::chrono::milliseconds(5)},
          {.op = "sleep",
           .kind = TaskKind::kAsync,
           .params = {count_param("duration_ms")},
           .inputs_min = 0,
           .rows = OutputRows::kSame,
           .can_fail = true}};
}

inline TaskSpec join_task() {
  ParamSpec kind = optional("kind", ParamType::kChoice, "inner");
  kind.choices = {"inner", "left", "semi", "anti"};
  ParamSpec rhs_by = optional("rhs_by", ParamType::kKeyList);
  rhs_by.read_from = "rhs";
  ParamSpec columns = optional("columns", ParamType::kKeyMap);
  columns.read_from = "rhs";
  return {.op = "join",
          .params = {required("rhs", ParamType::kNode),
                     optional("by", ParamType::kKeyList, std::vector<std::string>{"id"}),
                     rhs_by,
                     kind,
                     columns},
          .columns = OutputColumns::kJoin,
          .join = JoinSpec{.rhs = "rhs",
                           .by = "by",
                           .rhs_by = "rhs_by",
                           .columns = "columns",
                           .kind = "kind",
                           .kinds_without_columns = {"semi", "anti"}}};
}

inline ParamSpec computed(std::string name, std::optional<rows::ColumnType> type) {
  ParamSpec spec = optional(std::move(name), ParamType::kKeyMap, std::vector<KeyMove>{});
  spec.is_computed = true;
  spec.computed_type = type;
  return spec;
}

inline TaskSpec aggregate_task() {
  ParamSpec count = computed("count", rows::ColumnType::kInt64);
  count.is_never_null = true;
  ParamSpec mean = computed("mean", rows::ColumnType::kFloat64);
  mean.key_types = {rows::ColumnType::kInt64, rows::ColumnType::kFloat64};
  return {.op = "aggregate",
          .params = {required("by", ParamType::kKeyList),
                     count,
                     mean,
                     computed("max", std::nullopt),
                     optional("first", ParamType::kKeyMap, std::vector<KeyMove>{})},
          .columns = OutputColumns::kGroups};
}

inline std::vector<TaskSpec> row_tasks() {
  ParamSpec number = optional("score", ParamType::kKey);
  number.key_types = {rows::ColumnType::kInt64, rows::ColumnType::kFloat64};
  ParamSpec direction = optional("order", ParamType::kChoice, "asc");
  direction.choices = {"asc", "desc"};
  ParamSpec weights = optional("weights", ParamType::kFloatList);
  weights.minimum = 0;
  return {
      {.op = "fixed_source",
       .kind = TaskKind::kCheap,
       .params = {count_param("row_count", std::int64_t{1})},
       .inputs_min = 0,
       .inputs_max = 0,
       .columns = OutputColumns::kSource,
       .rows = OutputRows::kSource},
      {.op = "vm",
       .aliases = {"transform"},
       .params = {optional("out_key", ParamType::kOutKey, "score"),
                  optional("expr", ParamType::kExpr, "id * 1.0")},
       .rows = OutputRows::kSame,
       .cost_per_row = std::chrono::nanoseconds(10)},
      {.op = "filter",
       .params = {required("pred", ParamType::kPredicate)},
       .rows = OutputRows::kSubset,
       .cost_per_row = std::chrono::nanoseconds(10)},
      {.op = "sort",
       .params = {optional("key", ParamType::kKey), direction, optional("by", ParamType::kOrder)},
       .rows = OutputRows::kReorder,
       .cost_per_row = std::chrono::nanoseconds(100)},
      {.op = "take",
       .kind = TaskKind::kCheap,
       .params = {count_param("count")},
       .rows = OutputRows::kSubset},
      {.op = "top_k",
       .params = {required("order", ParamType::kOrder), count_param("count")},
       .rows = OutputRows::kOther,
       .cost_per_row = std::chrono::nanoseconds(20)},
      {.op = "concat",
       .params = {optional("rhs", ParamType::kNode)},
       .inputs_max = 16,
       .columns = OutputColumns::kUnion,
       .writes = {"source"},
       .keeps = {"source"}},
      join_task(),
      aggregate_task(),
      {.op = "dedupe",
       .params = {optional("keys", ParamType::kKeyList, std::vector<std::string>{"id"}), number},
       .rows = OutputRows::kSubset},
      {.op = "interleave",
       .params = {weights,
                  optional("pattern", ParamType::kIntList),
                  optional("labels", ParamType::kStringList),
                  optional("strict", ParamType::kBool, false),
                  optional("share", ParamType::kFloat, 0.5)},
       .inputs_max = 16,
       .columns = OutputColumns::kUnion},
      {.op = "sample", .params = {count_param("count")}, .shareable = false}};
}

}  // namespace fixture

/// The tasks of the tests: the ops that plans are made of, without bodies.
[[nodiscard]] inline StubCatalog sample_catalog() {
  std::vector<TaskSpec> tasks = fixture::fetching_tasks();
  for (TaskSpec& task : fixture::row_tasks()) tasks.push_back(std::move(task));
  return StubCatalog(std::move(tasks));
}

/// Keys, params and endpoints of the tests, one of each lifecycle among them.
[[nodiscard]] inline Registry sample_registry() {
  using enum rows::ColumnType;
  return Registry(
      {{.name = "age", .type = kInt64, .allow_write = false},
       {.name = "country", .type = kString, .allow_write = false},
       {.name = "created_at", .type = kInt64, .allow_write = false, .of = {"item", "post"}},
       {.name = "likes", .type = kInt64, .allow_write = false},
       {.name = "name", .type = kString, .allow_write = false},
       {.name = "author_name", .type = kString},
       {.name = "rank", .type = kInt64, .nullable = false},
       {.name = "score", .type = kFloat64},
       {.name = "boost", .type = kFloat64},
       {.name = "verified", .type = kBool, .allow_write = false},
       {.name = "old_score",
        .type = kFloat64,
        .allow_write = false,
        .lifecycle = Lifecycle::kDeprecated,
        .replaced_by = "score"},
       {.name = "secret",
        .type = kString,
        .lifecycle = Lifecycle::kBlocked,
        .replaced_by = "name"}},
      {{.name = "weight", .type = kFloat64},
       {.name = "min_age", .type = kInt64, .nullable = false, .fallback = std::int64_t{18}}},
      {{.name = "redis_default", .kind = EndpointKind::kEmbedded, .data_file = "x"},
       {.name = "web", .kind = EndpointKind::kHttp, .host = "localhost", .port = 80},
       {.name = "trends", .kind = EndpointKind::kGraph, .tables = {"trending", "seen"}},
       {.name = "redis_old",
        .kind = EndpointKind::kEmbedded,
        .data_file = "x",
        .lifecycle = Lifecycle::kDeprecated,
        .replaced_by = "redis_default"}});
}

}  // namespace millrace::plan
