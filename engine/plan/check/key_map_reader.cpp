#include "plan/check/key_map_reader.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"
#include "plan/check/key_names.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"
#include "rows/column.h"

namespace millrace::plan {

using base::JsonKind;
using base::JsonValue;

namespace {

constexpr std::size_t kMovesMax = 1'000;

}  // namespace

std::optional<std::vector<KeyMove>> KeyMapReader::read(JsonValue json,
                                                       const base::ValuePlace& where) {
  bool good = true;
  if (json.is(JsonKind::kString)) {
    good = add_own_name(json, where);
  } else if (json.is(JsonKind::kObject)) {
    for (const JsonValue member : json.children()) {
      good = add_renamed(member, where.child(member)) && good;
    }
  } else if (!base::ValueReader(context_.reporter).is_array(json, where, kMovesMax)) {
    return std::nullopt;
  } else {
    for (const JsonValue item : json.children()) {
      good = add_own_name(item, where.child(item)) && good;
    }
  }
  if (!good) return std::nullopt;
  return std::move(moves_);
}

bool KeyMapReader::add_own_name(JsonValue json, const base::ValuePlace& where) {
  const std::optional<std::string_view> name =
      base::ValueReader(context_.reporter).read_string(json, where);
  if (!name) return false;
  if (param_.spec.is_computed) return add_computed(*name, *name, where);
  const FieldInfo* key = check_key(*name, where, context_);
  if (key == nullptr || !check_key_type(*key, param_, where, context_)) return false;
  if (*name == "id" || *name == "parent_id") {
    context_.reporter.add(
        ProblemCode::kKeyNotWritable,
        where,
        "Rows have this key already, with values of their own: " + std::string(*name),
        "give it another name: {\"new_key\": \"" + std::string(*name) + "\"}");
    return false;
  }
  return add({.to = std::string(*name), .from = std::string(*name)}, where);
}

bool KeyMapReader::add_renamed(JsonValue json, const base::ValuePlace& where) {
  const std::optional<std::string_view> from =
      base::ValueReader(context_.reporter).read_string(json, where);
  if (!from) return false;
  const std::string_view to = json.key();
  if (param_.spec.is_computed) return add_computed(to, *from, where);
  if (to == *from) return add_own_name(json, where);
  const FieldInfo* source = check_key(*from, where, context_);
  const FieldInfo* target = check_writable(to, where, context_);
  if (source == nullptr || target == nullptr) return false;
  if (!check_key_type(*source, param_, where, context_)) return false;
  if (source->type != target->type) {
    context_.reporter.add(ProblemCode::kWrongKeyType,
                          where,
                          base::format("{} is {}, and {} is {}",
                                       source->name,
                                       rows::to_string(source->type),
                                       target->name,
                                       rows::to_string(target->type)),
                          "a column keeps its type under another name");
    return false;
  }
  if (source->nullable && !target->nullable) {
    context_.reporter.add(ProblemCode::kNullIntoKey,
                          where,
                          base::format("{} may be null, and {} may not", *from, to));
    return false;
  }
  return add({.to = std::string(to), .from = std::string(*from)}, where);
}

bool KeyMapReader::add_computed(std::string_view to,
                                std::string_view from,
                                const base::ValuePlace& where) {
  const FieldInfo* source = check_key(from, where, context_);
  const FieldInfo* target = check_writable(to, where, context_);
  if (source == nullptr || target == nullptr) return false;
  if (!check_key_type(*source, param_, where, context_)) return false;
  const rows::ColumnType type = param_.spec.computed_type.value_or(source->type);
  if (type != target->type) {
    context_.reporter.add(ProblemCode::kWrongKeyType,
                          where,
                          base::format("{}.{} of {} is {}, and {} is {}",
                                       param_.task.op,
                                       param_.spec.name,
                                       from,
                                       rows::to_string(type),
                                       to,
                                       rows::to_string(target->type)),
                          base::format("write it to a key of type {}", rows::to_string(type)));
    return false;
  }
  if (!target->nullable && !param_.spec.is_never_null) {
    context_.reporter.add(
        ProblemCode::kNullIntoKey,
        where,
        base::format(
            "{}.{} of {} may be null, and {} may not", param_.task.op, param_.spec.name, from, to));
    return false;
  }
  return add({.to = std::string(to), .from = std::string(from)}, where);
}

bool KeyMapReader::add(KeyMove move, const base::ValuePlace& where) {
  if (contains(moves_, move.to, &KeyMove::to)) {
    context_.reporter.add(ProblemCode::kBadValue, where, "Key named twice: " + move.to);
    return false;
  }
  moves_.push_back(std::move(move));
  return true;
}

}  // namespace millrace::plan
