// Lists of ids in a store: `list`, and the three presets of it that have a pattern of their own.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "rows/row_set.h"
#include "stores/fan_out.h"
#include "stores/request_key.h"
#include "stores/store_tasks.h"
#include "tasks/param_types.h"
#include "tasks/params_description.h"
#include "tasks/prepared_node.h"
#include "tasks/task_context.h"
#include "tasks/task_registry.h"

namespace millrace::stores {
namespace {

// The pattern that a task uses when a plan names none; `list` has none.
struct AnyList {
  static constexpr const char* kPrefix = "";
};
struct FollowLists {
  static constexpr const char* kPrefix = "follow:";
};
struct RecommendationLists {
  static constexpr const char* kPrefix = "recommendation:";
};
struct MediaLists {
  static constexpr const char* kPrefix = "media:";
};

template <class Lists>
struct ListParams {
  static constexpr bool kIsAny = *Lists::kPrefix == '\0';

  tasks::StoreEndpoint endpoint;
  tasks::KeyPatternParam pattern{.prefix = Lists::kPrefix,
                                 .places = {{.name = "id", .suffix = ""}}};
  std::int64_t fanout = kFanoutDefault;
  tasks::KeyMapParam carry;
  RequestKey request_key;  // of the pattern, for a node without inputs

  static void describe(tasks::ParamsDescription<ListParams>& params) {
    params.required("endpoint", &ListParams::endpoint, "Store that has the lists");
    if constexpr (kIsAny) {
      params.required("pattern",
                      &ListParams::pattern,
                      "Key of a row's list, as `saved:{id}`; without an input, of the one list, as "
                      "`trending` or `history:{user_id}`");
    } else {
      params.optional("pattern", &ListParams::pattern, "Key of a row's list");
    }
    params.optional("fanout",
                    &ListParams::fanout,
                    "How many items of a list are taken, from its start",
                    {.minimum = 1, .maximum = static_cast<double>(kFanoutMax)});
    params.optional("carry", &ListParams::carry, kCarryDoc);
  }

  base::Status on_load(const plan::CompiledNode& node, const tasks::LoadContext& load) {
    MR_TRY(request_key, make_source_key(pattern, node, load));
    return {};
  }
};

template <class Lists>
loop::Task<base::Result<rows::RowSet>> read_lists(std::optional<rows::RowSet> rows,
                                                  const ListParams<Lists>* params,
                                                  tasks::TaskContext context) {
  return fan_out(std::move(rows),
                 {.endpoint = params->endpoint,
                  .pattern = &params->pattern,
                  .request_key = &params->request_key,
                  .fanout = params->fanout},
                 context);
}

template <class Lists>
loop::Task<base::Result<rows::RowSet>> read_lists_of_rows(rows::RowSet rows,
                                                          const ListParams<Lists>* params,
                                                          tasks::TaskContext context) {
  return read_lists<Lists>(std::move(rows), params, context);
}

plan::TaskSpec list_spec(std::string op, std::string doc) {
  return {.op = std::move(op),
          .doc = std::move(doc),
          .kind = plan::TaskKind::kAsync,
          .columns = plan::OutputColumns::kFanOut,
          .rows = plan::OutputRows::kOther,
          .can_fail = true,
          .cost_fixed = std::chrono::microseconds(5),
          .cost_per_row = std::chrono::nanoseconds(300)};
}

template <class Lists>
base::Status register_lists(tasks::TaskRegistry& registry, std::string op, std::string doc) {
  return tasks::register_task(
      registry, list_spec(std::move(op), std::move(doc)), &read_lists_of_rows<Lists>);
}

}  // namespace

base::Status register_list(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      list_spec("list",
                "LRANGE of the key that `pattern` gives for each row, all in one round trip: the "
                "ids in its list, by row, then by place in the list. Without an input it reads "
                "one list, and names in `pattern` are fields of the request."),
      &read_lists<AnyList>);
}

base::Status register_follow(tasks::TaskRegistry& registry) {
  return register_lists<FollowLists>(
      registry,
      "follow",
      "LRANGE of `follow:{id}` for each row, all in one round trip: the users that it follows, by "
      "row, then by place in the list.");
}

base::Status register_recommendation(tasks::TaskRegistry& registry) {
  return register_lists<RecommendationLists>(
      registry,
      "recommendation",
      "LRANGE of `recommendation:{id}` for each row, all in one "
      "round trip: what is recommended to it, by row, then by "
      "place in the list.");
}

base::Status register_media(tasks::TaskRegistry& registry) {
  return register_lists<MediaLists>(
      registry,
      "media",
      "LRANGE of `media:{id}` for each row, all in one round trip: its "
      "media, by row, then by place in the list.");
}

}  // namespace millrace::stores
