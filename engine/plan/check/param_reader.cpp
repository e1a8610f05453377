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

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/object_reader.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"
#include "plan/check/key_map_reader.h"
#include "plan/check/key_names.h"
#include "plan/key_pattern.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

using base::JsonKind;
using base::JsonValue;

constexpr std::size_t kListCountMax = 10'000;

/// Reads one param; gives nothing after a problem.
class ParamReader {
 public:
  ParamReader(const ParamSpec& spec, const TaskSpec& task, const CheckContext& context)
      : spec_(spec), task_(task), context_(context), values_(context.reporter) {}

  std::optional<ParamValue> read(JsonValue json, const base::ValuePlace& where) {
    switch (spec_.type) {
      case ParamType::kBool:
        return values_.read_bool(json, where);
      case ParamType::kInt:
        return read_int(json, where);
      case ParamType::kFloat:
        return read_float(json, where);
      case ParamType::kIntList:
        return read_numbers<std::int64_t>(json, where);
      case ParamType::kFloatList:
        return read_numbers<double>(json, where);
      case ParamType::kStringList:
      case ParamType::kKeyList:
        return read_strings(json, where);
      case ParamType::kOrder:
        return read_order(json, where);
      case ParamType::kKeyMap:
        return KeyMapReader({.task = task_, .spec = spec_}, context_).read(json, where);
      case ParamType::kString:
      case ParamType::kChoice:
      case ParamType::kKey:
      case ParamType::kOutKey:
      case ParamType::kExpr:
      case ParamType::kPredicate:
      case ParamType::kEndpoint:
      case ParamType::kKeyPattern:
      case ParamType::kNode:
        const std::optional<std::string_view> text = values_.read_string(json, where);
        return text ? read_text(*text, where) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  std::optional<ParamValue> read_text(std::string_view text, const base::ValuePlace& where) {
    switch (spec_.type) {
      case ParamType::kChoice:
        return read_choice(text, where);
      case ParamType::kKey:
        if (!is_usable(text, where)) return std::nullopt;
        break;
      case ParamType::kOutKey:
        if (!is_writable(text, where) || !has_type(text, where)) return std::nullopt;
        break;
      case ParamType::kEndpoint:
        return read_endpoint(text, where);
      case ParamType::kKeyPattern:
        if (const auto pattern = parse_key_pattern(text); !pattern) {
          add(ProblemCode::kBadPattern,
              where,
              base::shortened(pattern.error().message()),
              "text with names of keys in braces, as 'follow:{id}', or with none");
          return std::nullopt;
        }
        break;
      default:
        break;
    }
    return std::string(text);
  }

  std::optional<ParamValue> read_choice(std::string_view text, const base::ValuePlace& where) {
    if (contains(spec_.choices, text)) return std::string(text);
    const std::vector<std::string_view> words(spec_.choices.begin(), spec_.choices.end());
    return values_.unknown_word(text, where, spec_.name, words);
  }

  bool is_writable(std::string_view text, const base::ValuePlace& where) {
    return check_writable(text, where, context_) != nullptr;
  }

  /// Checks a key that the task reads, or that it is asked to fetch.
  bool is_usable(std::string_view text, const base::ValuePlace& where) {
    if (check_key(text, where, context_) == nullptr || !has_type(text, where)) return false;
    if (spec_.name != task_.keys_param || !is_built_in_key(text)) return true;
    add(ProblemCode::kKeyNotWritable,
        where,
        base::format(
            "{} cannot fetch the key, which the engine gives to rows: {}", task_.op, text));
    return false;
  }

  /// Checks the type of a registered key.
  bool has_type(std::string_view text, const base::ValuePlace& where) {
    return check_key_type(
        *context_.registry.find_key(text), {.task = task_, .spec = spec_}, where, context_);
  }

  std::optional<ParamValue> read_endpoint(std::string_view text, const base::ValuePlace& where) {
    const std::optional<EndpointId> id = context_.registry.find_endpoint(text);
    if (id && context_.registry.endpoint(*id).lifecycle == Lifecycle::kBlocked) {
      const std::string& other = context_.registry.endpoint(*id).replaced_by;
      add(ProblemCode::kBlockedKey,
          where,
          "The endpoint is blocked: " + base::shortened(text),
          other.empty() ? "" : base::format("use '{}' instead", other));
      return std::nullopt;
    }
    if (id) return *id;
    context_.reporter.add(
        ProblemCode::kUnknownEndpoint, where, "Unknown endpoint: " + base::shortened(text), [&] {
          return base::suggestion(text, names_of(context_.registry.endpoints()));
        });
    return std::nullopt;
  }

  std::optional<ParamValue> read_int(JsonValue json, const base::ValuePlace& where) {
    const std::optional<std::int64_t> number = values_.read_int(json, where);
    if (!number || !is_within(static_cast<double>(*number), where)) return std::nullopt;
    return *number;
  }

  std::optional<ParamValue> read_float(JsonValue json, const base::ValuePlace& where) {
    const std::optional<double> number = values_.read_number(json, where);
    if (!number || !is_within(*number, where)) return std::nullopt;
    return *number;
  }

  bool is_within(double number, const base::ValuePlace& where) {
    const base::Range<double> range{.minimum = spec_.minimum, .maximum = spec_.maximum};
    return values_.is_within(number, range, where, spec_.name);
  }

  template <class Number>
  std::optional<ParamValue> read_numbers(JsonValue json, const base::ValuePlace& where) {
    if (!values_.is_array(json, where, kListCountMax)) return std::nullopt;
    std::vector<Number> items;
    bool good = true;
    for (const JsonValue item : json.children()) {
      const base::ValuePlace place = where.child(item);
      std::optional<Number> number;
      if constexpr (std::is_same_v<Number, double>) {
        number = values_.read_number(item, place);
      } else {
        number = values_.read_int(item, place);
      }
      good = number && is_within(static_cast<double>(*number), place) && good;
      items.push_back(number.value_or(Number{}));
    }
    if (!good) return std::nullopt;
    return ParamValue(std::move(items));
  }

  std::optional<ParamValue> read_strings(JsonValue json, const base::ValuePlace& where) {
    const bool is_keys = spec_.type == ParamType::kKeyList;
    std::vector<std::string> items;
    if (is_keys && json.is(JsonKind::kString)) {
      if (!is_usable(*json.find_string(), where)) return std::nullopt;
      items.emplace_back(*json.find_string());
      return ParamValue(std::move(items));
    }
    if (!values_.is_array(json, where, kListCountMax)) return std::nullopt;
    bool good = true;
    for (const JsonValue item : json.children()) {
      const base::ValuePlace place = where.child(item);
      const std::optional<std::string_view> text = values_.read_string(item, place);
      good = text && (!is_keys || is_usable(*text, place)) && good;
      items.emplace_back(text.value_or(""));
    }
    if (is_keys && items.empty()) {
      add(ProblemCode::kBadValue,
          where,
          base::format("{}.{} has at least one key", task_.op, spec_.name),
          "leave the param out for its default");
      return std::nullopt;
    }
    if (!good) return std::nullopt;
    return ParamValue(std::move(items));
  }

  std::optional<ParamValue> read_order(JsonValue json, const base::ValuePlace& where) {
    std::vector<OrderKey> order;
    bool good = true;
    if (!json.is(JsonKind::kArray)) {
      good = read_order_key(json, where, order);
    } else if (!values_.is_array(json, where, kListCountMax)) {
      return std::nullopt;
    } else {
      for (const JsonValue item : json.children()) {
        good = read_order_key(item, where.child(item), order) && good;
      }
      if (json.size() == 0) {
        add(ProblemCode::kBadValue, where, "An order has at least one key");
        return std::nullopt;
      }
    }
    if (!good) return std::nullopt;
    return ParamValue(std::move(order));
  }

  bool read_order_key(JsonValue json, const base::ValuePlace& where, std::vector<OrderKey>& order) {
    if (const std::optional<std::string_view> text = json.find_string()) {
      order.push_back({.key = std::string(*text)});
      return check_key(*text, where, context_) != nullptr;
    }
    base::ObjectReader fields(json, where, context_.reporter);
    if (!fields.is_object()) return false;
    fields.allow_only({"key", "order"});
    const std::optional<JsonValue> member = fields.require("key");
    const std::optional<std::string_view> key = fields.find_string("key");
    const auto direction = fields.find_choice("order", {"asc", "desc"});
    if (!key || (fields.has("order") && !direction)) return false;
    order.push_back({.key = std::string(*key), .descending = direction == 1U});
    return check_key(*key, fields.place_of(*member), context_) != nullptr;
  }

  void add(ProblemCode code,
           const base::ValuePlace& where,
           std::string message,
           std::string hint = {}) {
    context_.reporter.add(code, where, std::move(message), std::move(hint));
  }

  const ParamSpec& spec_;
  const TaskSpec& task_;
  const CheckContext& context_;
  base::ValueReader values_;
};

}  // namespace

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
    std::optional<ParamValue> value =
        ParamReader(spec, task, context).read(given->value, given->where);
    read.bad.push_back(!value.has_value());
    read.values.push_back(value ? *std::move(value) : ParamValue());
    read.places.push_back(given->where);
  }
  for (const ArtifactParam& param : node.params) {
    if (contains(task.params, param.name, &ParamSpec::name)) continue;
    context.reporter.add(
        ProblemCode::kUnknownParam,
        param.where,
        base::format("Unknown param of {}: {}", task.op, base::shortened(param.name)),
        [&] { return base::suggestion(param.name, names_of(task.params)); });
  }
  return read;
}

}  // namespace millrace::plan
