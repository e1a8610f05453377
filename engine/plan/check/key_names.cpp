#include "plan/check/key_names.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "rows/column.h"

namespace millrace::plan {

std::optional<std::string_view> hash_prefix(const CompiledNode& node) {
  for (std::size_t i = 0; i < node.params.size(); ++i) {
    if (node.task->params[i].name != node.task->prefix_param) continue;
    const auto* text = std::get_if<std::string>(&node.params[i]);
    if (text == nullptr) return std::nullopt;
    std::string_view prefix = *text;
    if (node.task->params[i].type == ParamType::kKeyPattern) {
      prefix = prefix.substr(0, prefix.find('{'));
    }
    if (prefix.ends_with(':')) prefix.remove_suffix(1);
    return prefix;
  }
  return std::nullopt;
}

bool belongs_to(const FieldInfo& key, std::string_view prefix) {
  return key.of.empty() || contains(key.of, prefix);
}

const FieldInfo* check_key(std::string_view name,
                           const base::ValuePlace& where,
                           const CheckContext& context) {
  const FieldInfo* key = context.registry.find_key(name);
  if (key == nullptr) {
    context.reporter.add(
        ProblemCode::kUnknownKey, where, "Unknown key: " + base::shortened(name), [&] {
          return base::suggestion(name, names_of(context.registry.keys()));
        });
    return nullptr;
  }
  if (key->lifecycle != Lifecycle::kBlocked) return key;
  context.reporter.add(
      ProblemCode::kBlockedKey,
      where,
      "The key is blocked: " + key->name,
      key->replaced_by.empty() ? "" : base::format("use '{}' instead", key->replaced_by));
  return nullptr;
}

const FieldInfo* check_writable(std::string_view name,
                                const base::ValuePlace& where,
                                const CheckContext& context) {
  const FieldInfo* key = check_key(name, where, context);
  if (key == nullptr || key->allow_write) return key;
  context.reporter.add(
      ProblemCode::kKeyNotWritable, where, "A plan may not write the key: " + key->name);
  return nullptr;
}

bool check_key_type(const FieldInfo& key,
                    const NamedParam& param,
                    const base::ValuePlace& where,
                    const CheckContext& context) {
  if (param.spec.key_types.empty() || contains(param.spec.key_types, key.type)) return true;
  std::string wanted;
  for (const rows::ColumnType type : param.spec.key_types) {
    wanted += base::format("{}{}", wanted.empty() ? "" : " or ", rows::to_string(type));
  }
  context.reporter.add(ProblemCode::kWrongKeyType,
                       where,
                       base::format("{}.{} takes a key of type {}, and {} is {}",
                                    param.task.op,
                                    param.spec.name,
                                    wanted,
                                    key.name,
                                    rows::to_string(key.type)));
  return false;
}

}  // namespace millrace::plan
