#include "stores/request_key.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/key_pattern.h"
#include "rows/value.h"
#include "stores/key_list.h"
#include "tasks/param_types.h"
#include "tasks/prepared_node.h"
#include "tasks/task_context.h"

namespace millrace::stores {

namespace {

constexpr std::string_view kUserField = "user_id";

}  // namespace

base::Result<RequestKey> RequestKey::make(const tasks::KeyPatternParam& pattern,
                                          const plan::CompiledNode& node,
                                          const tasks::LoadContext& load) {
  RequestKey key;
  for (const plan::KeyPattern::Place& place : pattern.places) {
    if (place.name == kUserField) {
      key.fields_.emplace_back();
      continue;
    }
    const std::size_t count = load.plan == nullptr ? 0 : load.plan->request_fields.size();
    std::size_t index = 0;
    while (index < count && load.plan->request_fields[index].name != place.name) ++index;
    if (index == count) {
      return base::fail(base::ErrorCode::kNotFound,
                        "The plan reads no such field of the request: " + place.name,
                        node.id + ".params.pattern");
    }
    key.fields_.emplace_back(index);
  }
  return key;
}

base::Result<KeyList> RequestKey::key(const tasks::KeyPatternParam& pattern,
                                      const tasks::TaskContext& context) const {
  KeyListBuilder keys(context.scratch(), pattern.prefix, "", 1);
  keys.begin_key();
  for (std::size_t i = 0; i < pattern.places.size(); ++i) {
    const rows::Value value =
        fields_[i] ? context.request().fields[*fields_[i]] : rows::Value(context.request().user_id);
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      keys.append(*number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      keys.append(*text);
    } else {
      return base::fail(base::ErrorCode::kInvalidArgument,
                        "The request has no value for a name in the pattern of a key, which is in "
                        "its `params`: " +
                            pattern.places[i].name,
                        context.node().id);
    }
    keys.append(pattern.places[i].suffix);
  }
  keys.end_key();
  return keys.finish();
}

}  // namespace millrace::stores
