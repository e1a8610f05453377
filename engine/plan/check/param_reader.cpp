#include "plan/check/param_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "plan/artifact/artifact_fields.h"
#include "plan/membership.h"
#include "plan/problem.h"

namespace millrace::plan {

namespace {

using base::JsonKind;
using base::JsonValue;

constexpr std::size_t kListCountMax = 10'000;

/// Reads one param; gives nothing after a report.
class ParamReader {
 public:
  ParamReader(const ParamSpec& spec, const CheckContext& context)
      : spec_(spec), context_(context) {}

  std::optional<ParamValue> read(JsonValue json, const Where& where) {
    switch (spec_.type) {
      case ParamType::kBool:
        if (const auto flag = json.find_bool()) return *flag;
        return wrong_type("bool", json, where);
      case ParamType::kInt:
        return read_int(json, where);
      case ParamType::kFloat:
        return read_float(json, where);
      case ParamType::kIntList:
        return read_list<std::int64_t>(json, where, "int");
      case ParamType::kFloatList:
        return read_list<double>(json, where, "number");
      case ParamType::kStringList:
      case ParamType::kKeyList:
        return read_strings(json, where);
      case ParamType::kOrder:
        return read_order(json, where);
      case ParamType::kString:
      case ParamType::kChoice:
      case ParamType::kKey:
      case ParamType::kOutKey:
      case ParamType::kExpr:
      case ParamType::kPredicate:
      case ParamType::kEndpoint:
      case ParamType::kKeyPattern:
      case ParamType::kNode:
        if (const auto text = json.find_string()) return read_text(*text, where);
        return wrong_type("string", json, where);
    }
    return std::nullopt;
  }

 private:
  std::optional<ParamValue> read_text(std::string_view text, const Where& where) {
    switch (spec_.type) {
      case ParamType::kChoice:
        return read_choice(text, where);
      case ParamType::kKey:
        if (check_key(text, where, context_) == nullptr) return std::nullopt;
        break;
      case ParamType::kOutKey:
        if (!is_writable(text, where)) return std::nullopt;
        break;
      case ParamType::kEndpoint:
        return read_endpoint(text, where);
      case ParamType::kKeyPattern:
        if (!pattern_name(text)) {
          add(ProblemCode::kBadPattern,
              where,
              "Not a key pattern: " + shortened(text),
              "text with one name in braces, as 'follow:{id}'");
          return std::nullopt;
        }
        break;
      default:
        break;
    }
    return std::string(text);
  }

  std::optional<ParamValue> read_choice(std::string_view text, const Where& where) {
    if (contains(spec_.choices, text)) return std::string(text);
    std::string all;
    for (const std::string& choice : spec_.choices) {
      all += (all.empty() ? "one of " : ", ") + choice;
    }
    add(ProblemCode::kBadValue,
        where,
        base::format("Unknown {}: {}", spec_.name, shortened(text)),
        std::move(all));
    return std::nullopt;
  }

  bool is_writable(std::string_view text, const Where& where) {
    const FieldInfo* key = check_key(text, where, context_);
    if (key == nullptr) return false;
    if (key->allow_write) return true;
    add(ProblemCode::kKeyNotWritable, where, "A plan may not write the key: " + key->name);
    return false;
  }

  std::optional<ParamValue> read_endpoint(std::string_view text, const Where& where) {
    const std::optional<EndpointId> id = context_.registry.find_endpoint(text);
    if (id && context_.registry.endpoint(*id).lifecycle == Lifecycle::kBlocked) {
      const std::string& other = context_.registry.endpoint(*id).replaced_by;
      add(ProblemCode::kBlockedKey,
          where,
          "The endpoint is blocked: " + shortened(text),
          other.empty() ? "" : base::format("use '{}' instead", other));
      return std::nullopt;
    }
    if (id) return *id;
    add(ProblemCode::kUnknownEndpoint,
        where,
        "Unknown endpoint: " + shortened(text),
        suggest(text, names_of(context_.registry.endpoints())));
    return std::nullopt;
  }

  std::optional<ParamValue> read_int(JsonValue json, const Where& where) {
    const std::optional<std::int64_t> number = json.find_int();
    if (!number) return wrong_type("int", json, where);
    if (!in_range(static_cast<double>(*number), where)) return std::nullopt;
    return *number;
  }

  std::optional<ParamValue> read_float(JsonValue json, const Where& where) {
    const std::optional<double> number = json.find_number();
    if (!number) return wrong_type("number", json, where);
    if (!in_range(*number, where)) return std::nullopt;
    return *number;
  }

  bool in_range(double number, const Where& where) {
    const bool low = spec_.minimum && number < *spec_.minimum;
    const bool high = spec_.maximum && number > *spec_.maximum;
    if (!low && !high) return true;
    add(ProblemCode::kParamRange,
        where,
        low ? base::format("{} is below {}: {}", spec_.name, *spec_.minimum, number)
            : base::format("{} is above {}: {}", spec_.name, *spec_.maximum, number));
    return false;
  }

  bool is_list(JsonValue json, const Where& where) {
    if (!json.is(JsonKind::kArray)) {
      (void)wrong_type("array", json, where);
      return false;
    }
    if (json.size() <= kListCountMax) return true;
    add(ProblemCode::kTooLarge, where, base::format("More than {} items", kListCountMax));
    return false;
  }

  template <class T>
  std::optional<ParamValue> read_list(JsonValue json, const Where& where, std::string_view kind) {
    if (!is_list(json, where)) return std::nullopt;
    std::vector<T> items;
    bool good = true;
    for (const JsonValue item : json.children()) {
      std::optional<T> number;
      if constexpr (std::is_same_v<T, double>) {
        number = item.find_number();
      } else {
        number = item.find_int();
      }
      const Where place = where.item(items.size(), item);
      if (!number) (void)wrong_type(kind, item, place);
      good = number && in_range(static_cast<double>(*number), place) && good;
      items.push_back(number.value_or(T{}));
    }
    if (!good) return std::nullopt;
    return ParamValue(std::move(items));
  }

  std::optional<ParamValue> read_strings(JsonValue json, const Where& where) {
    const bool is_keys = spec_.type == ParamType::kKeyList;
    std::vector<std::string> items;
    if (is_keys && json.is(JsonKind::kString)) {
      if (check_key(*json.find_string(), where, context_) == nullptr) return std::nullopt;
      items.emplace_back(*json.find_string());
      return ParamValue(std::move(items));
    }
    if (!is_list(json, where)) return std::nullopt;
    bool good = true;
    for (const JsonValue item : json.children()) {
      const Where place = where.item(items.size(), item);
      const std::optional<std::string_view> text = item.find_string();
      if (!text) (void)wrong_type("string", item, place);
      good = text && (!is_keys || check_key(*text, place, context_) != nullptr) && good;
      items.emplace_back(text.value_or(""));
    }
    if (!good) return std::nullopt;
    return ParamValue(std::move(items));
  }

  std::optional<ParamValue> read_order(JsonValue json, const Where& where) {
    std::vector<OrderKey> order;
    bool good = true;
    if (!json.is(JsonKind::kArray)) {
      good = read_order_key(json, where, order);
    } else if (!is_list(json, where)) {
      return std::nullopt;
    } else {
      std::size_t index = 0;
      for (const JsonValue item : json.children()) {
        good = read_order_key(item, where.item(index++, item), order) && good;
      }
      if (index == 0) {
        add(ProblemCode::kBadValue, where, "An order has at least one key");
        return std::nullopt;
      }
    }
    if (!good) return std::nullopt;
    return ParamValue(std::move(order));
  }

  bool read_order_key(JsonValue json, const Where& where, std::vector<OrderKey>& order) {
    if (const std::optional<std::string_view> text = json.find_string()) {
      order.push_back({.key = std::string(*text)});
      return check_key(*text, where, context_) != nullptr;
    }
    ObjectFields fields(json, where, context_.reporter);
    if (!fields.is_object()) return false;
    fields.allow_only({"key", "order"});
    if (!fields.find("key")) fields.missing("key");
    const std::optional<std::string_view> key = fields.find_string("key");
    const auto direction = fields.find_choice("order", {"asc", "desc"});
    if (!key || (fields.find("order") && !direction)) return false;
    order.push_back({.key = std::string(*key), .descending = direction == 1U});
    return check_key(*key, fields.where_of(*fields.find("key")), context_) != nullptr;
  }

  std::nullopt_t wrong_type(std::string_view expected, JsonValue json, const Where& where) {
    add(ProblemCode::kWrongType,
        where,
        base::format("Expected {}, found {}", expected, base::to_string(json.kind())));
    return std::nullopt;
  }

  void add(ProblemCode code, const Where& where, std::string message, std::string hint = {}) {
    context_.reporter.add(code, where, std::move(message), std::move(hint));
  }

  const ParamSpec& spec_;
  const CheckContext& context_;
};

}  // namespace

std::optional<std::string_view> pattern_name(std::string_view pattern) {
  const std::size_t open = pattern.find('{');
  const std::size_t close = pattern.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) {
    return std::nullopt;
  }
  if (pattern.find_first_of("{}", close + 1) != std::string_view::npos ||
      pattern.find('{', open + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return pattern.substr(open + 1, close - open - 1);
}

const FieldInfo* check_key(std::string_view name, const Where& where, const CheckContext& context) {
  const FieldInfo* key = context.registry.find_key(name);
  if (key == nullptr) {
    context.reporter.add(ProblemCode::kUnknownKey,
                         where,
                         "Unknown key: " + shortened(name),
                         suggest(name, names_of(context.registry.keys())));
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

ReadParams read_params(const ArtifactNode& node,
                       const TaskSpec& task,
                       const CheckContext& context) {
  ReadParams read;
  for (const ParamSpec& spec : task.params) {
    const auto given = std::ranges::find(node.params, spec.name, &ArtifactParam::name);
    if (given == node.params.end()) {
      if (spec.required) {
        context.reporter.add(ProblemCode::kMissingParam,
                             node.where,
                             base::format("Missing param of {}: {}", task.op, spec.name));
      }
      read.values.push_back(spec.fallback);
      read.places.push_back(node.where);
      read.bad.push_back(spec.required);
      continue;
    }
    std::optional<ParamValue> value = ParamReader(spec, context).read(given->value, given->where);
    read.bad.push_back(!value.has_value());
    read.values.push_back(value ? *std::move(value) : ParamValue());
    read.places.push_back(given->where);
  }
  for (const ArtifactParam& param : node.params) {
    if (contains(task.params, param.name, &ParamSpec::name)) continue;
    context.reporter.add(ProblemCode::kUnknownParam,
                         param.where,
                         base::format("Unknown param of {}: {}", task.op, shortened(param.name)),
                         suggest(param.name, names_of(task.params)));
  }
  return read;
}

}  // namespace millrace::plan
