#include "apps/rankd/suites/expectation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"

namespace millrace::rankd {
namespace {

using base::JsonValue;

// Longer lists of ids are cut in messages.
constexpr std::size_t kShownIdsMax = 20;

std::string text_of(const FieldValue& value) {
  std::string text;
  base::JsonWriter json(text);
  std::visit(
      [&](const auto& content) {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>) {
          json.null();
        } else {
          json.value(content);
        }
      },
      value);
  return text;
}

std::optional<double> number_of(const FieldValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

bool is_same(const FieldValue& wanted, const FieldValue& found, double tolerance) {
  const bool both_whole =
      std::holds_alternative<std::int64_t>(wanted) && std::holds_alternative<std::int64_t>(found);
  const auto left = number_of(wanted);
  const auto right = number_of(found);
  if (both_whole || !left || !right) return wanted == found;
  const double size = std::max({std::abs(*left), std::abs(*right), 1.0});
  return std::abs(*left - *right) <= tolerance * size;
}

std::string list_of(const std::vector<std::int64_t>& ids) {
  std::string text = "[";
  for (std::size_t index = 0; index < ids.size() && index < kShownIdsMax; ++index)
    text += base::format("{}{}", index == 0 ? "" : ", ", ids[index]);
  if (ids.size() > kShownIdsMax) text += base::format(", … {} in all", ids.size());
  return text + "]";
}

std::string text_of(const FieldMatch& match) {
  std::string text;
  for (const auto& [name, value] : match)
    text += base::format("{}{} = {}", text.empty() ? "" : " and ", name, text_of(value));
  return text;
}

/// Compares one answer with one expectation.
class Comparison {
 public:
  Comparison(const Expectation& expect, const Answer& answer) : expect_(expect), answer_(answer) {
    for (const AnsweredCandidate& candidate : answer.candidates) ids_.push_back(candidate.id);
  }

  std::vector<std::string> run() {
    if (!outcome_fits()) return failures_;
    check_ids();
    check_count();
    check_fields();
    check_matches();
    for (const GroupLimit& limit : expect_.at_most) check_group(limit);
    if (expect_.sorted_by) check_order(*expect_.sorted_by);
    return failures_;
  }

 private:
  void fail(std::string failure) { failures_.push_back(std::move(failure)); }

  /// Says whether it makes sense to look at the candidates.
  bool outcome_fits() {
    if (expect_.error != answer_.error_code) {
      if (answer_.error_code.empty()) {
        fail(base::format("expected the error {}, got {} candidates", expect_.error, ids_.size()));
      } else if (expect_.error.empty()) {
        fail(base::format("got the error {}: {}", answer_.error_code, answer_.error_message));
      } else {
        fail(base::format("expected the error {}, got {}: {}",
                          expect_.error,
                          answer_.error_code,
                          answer_.error_message));
      }
      return false;
    }
    if (!answer_.error_code.empty()) return false;
    if (expect_.degraded && !answer_.degraded) fail("expected a degraded answer, got a full one");
    if (!expect_.degraded && answer_.degraded)
      fail(base::format("the answer is degraded: {}", answer_.degraded_text));
    return true;
  }

  [[nodiscard]] bool has(std::int64_t id) const {
    return std::ranges::find(ids_, id) != ids_.end();
  }

  void check_ids() {
    if (expect_.ids && *expect_.ids != ids_)
      fail(base::format("expected the ids {}, got {}", list_of(*expect_.ids), list_of(ids_)));
    if (expect_.first_ids) {
      std::vector<std::int64_t> first = ids_;
      first.resize(std::min(ids_.size(), expect_.first_ids->size()));
      if (first != *expect_.first_ids)
        fail(base::format(
            "expected to begin with {}, got {}", list_of(*expect_.first_ids), list_of(ids_)));
    }
    for (const std::int64_t id : expect_.has_ids) {
      if (!has(id)) fail(base::format("expected id {} somewhere, got {}", id, list_of(ids_)));
    }
    for (const std::int64_t id : expect_.no_ids) {
      if (has(id)) fail(base::format("id {} must not be in the answer", id));
    }
  }

  void check_count() {
    const auto count = static_cast<std::int64_t>(ids_.size());
    if (expect_.count_min && count < *expect_.count_min)
      fail(base::format("expected at least {} candidates, got {}", *expect_.count_min, count));
    if (expect_.count_max && count > *expect_.count_max)
      fail(base::format("expected at most {} candidates, got {}", *expect_.count_max, count));
  }

  /// Gives the value of a field: null for a candidate that leaves out what others have. A field
  /// that no candidate has is a failure of its own, said once.
  const FieldValue* value_of(const AnsweredCandidate& candidate, const std::string& name) {
    static const FieldValue kNull;
    const auto has_field = [&](const AnsweredCandidate& other) {
      return other.find(name) != nullptr;
    };
    if (const FieldValue* const value = candidate.find(name)) return value;
    if (std::ranges::any_of(answer_.candidates, has_field)) return &kNull;
    if (std::ranges::find(missing_, name) == missing_.end()) {
      missing_.push_back(name);
      fail(base::format("the answer has no field '{}'; name it in output_keys", name));
    }
    return nullptr;
  }

  bool matches(const AnsweredCandidate& candidate, const FieldMatch& match) {
    return std::ranges::all_of(match, [&](const auto& wanted) {
      const FieldValue* const found = value_of(candidate, wanted.first);
      return found != nullptr && is_same(wanted.second, *found, expect_.tolerance);
    });
  }

  void check_fields() {
    for (const auto& [id, wanted] : expect_.fields) {
      const auto candidate = std::ranges::find(answer_.candidates, id, &AnsweredCandidate::id);
      if (candidate == answer_.candidates.end()) {
        fail(base::format(
            "expected fields of id {}, which is not in the answer {}", id, list_of(ids_)));
        continue;
      }
      for (const auto& [name, value] : wanted) {
        const FieldValue* const found = value_of(*candidate, name);
        if (found != nullptr && !is_same(value, *found, expect_.tolerance))
          fail(base::format(
              "id {}: expected {} = {}, got {}", id, name, text_of(value), text_of(*found)));
      }
    }
  }

  void check_matches() {
    for (const AnsweredCandidate& candidate : answer_.candidates) {
      for (const FieldMatch& match : expect_.all) {
        if (!matches(candidate, match))
          fail(base::format("id {}: expected {} of all candidates", candidate.id, text_of(match)));
      }
      for (const FieldMatch& match : expect_.none) {
        if (matches(candidate, match))
          fail(base::format("id {}: expected no candidate with {}", candidate.id, text_of(match)));
      }
    }
  }

  void check_group(const GroupLimit& limit) {
    std::map<FieldValue, std::vector<std::int64_t>> groups;
    for (const AnsweredCandidate& candidate : answer_.candidates) {
      const FieldValue* const value = value_of(candidate, limit.per);
      if (value != nullptr) groups[*value].push_back(candidate.id);
    }
    for (const auto& [value, ids] : groups) {
      if (static_cast<std::int64_t>(ids.size()) > limit.count) {
        fail(base::format("expected at most {} per {}, got {} with {}: {}",
                          limit.count,
                          limit.per,
                          ids.size(),
                          text_of(value),
                          list_of(ids)));
      }
    }
  }

  void check_order(const OrderRule& rule) {
    const AnsweredCandidate* last = nullptr;
    for (const AnsweredCandidate& candidate : answer_.candidates) {
      const FieldValue* const value = value_of(candidate, rule.key);
      if (value == nullptr) return;
      // Nulls come last in either order.
      if (last != nullptr && !std::holds_alternative<std::monostate>(*value)) {
        const FieldValue& before = *value_of(*last, rule.key);
        const bool out_of_order =
            std::holds_alternative<std::monostate>(before) ||
            (rule.descending ? is_less(before, *value) : is_less(*value, before));
        if (out_of_order) {
          return fail(
              base::format("expected {} by {}, but id {} with {} stands before id {} with {}",
                           rule.descending ? "descending order" : "ascending order",
                           rule.key,
                           last->id,
                           text_of(before),
                           candidate.id,
                           text_of(*value)));
        }
      }
      last = &candidate;
    }
  }

  static bool is_less(const FieldValue& left, const FieldValue& right) {
    const auto first = number_of(left);
    const auto second = number_of(right);
    return first && second ? *first < *second : left < right;
  }

  const Expectation& expect_;
  const Answer& answer_;
  std::vector<std::int64_t> ids_;
  std::vector<std::string> failures_;
  std::vector<std::string> missing_;  // fields whose absence was said already
};

std::string member_text(JsonValue object, std::string_view name) {
  const auto member = object.find_member(name);
  return std::string(member ? member->find_string().value_or("") : "");
}

void read_degraded(JsonValue degraded, Answer& answer) {
  const auto is = degraded.find_member("is");
  answer.degraded = is && is->find_bool().value_or(false);
  const auto reasons = degraded.find_member("reasons");
  if (!reasons) return;
  for (const JsonValue reason : reasons->children()) {
    answer.degraded_text += base::format("{}node '{}' ({}) used {}",
                                         answer.degraded_text.empty() ? "" : "; ",
                                         member_text(reason, "node"),
                                         member_text(reason, "kind"),
                                         member_text(reason, "fallback"));
  }
}

}  // namespace

const FieldValue* AnsweredCandidate::find(std::string_view name) const {
  const auto found = std::ranges::find(
      fields, name, [](const auto& field) { return std::string_view(field.first); });
  return found == fields.end() ? nullptr : &found->second;
}

Answer read_answer(std::string_view response) {
  Answer answer;
  const auto document = base::read_json(response);
  if (!document) {
    answer.error_code = "unreadable_answer";
    answer.error_message = document.error().message;
    return answer;
  }
  const JsonValue root = document->root();
  if (const auto error = root.find_member("error")) {
    answer.error_code = member_text(*error, "code");
    answer.error_message = member_text(*error, "message");
    return answer;
  }
  if (const auto degraded = root.find_member("degraded")) read_degraded(*degraded, answer);
  const auto candidates = root.find_member("candidates");
  if (!candidates) return answer;
  for (const JsonValue item : candidates->children()) {
    AnsweredCandidate& candidate = answer.candidates.emplace_back();
    const auto id = item.find_member("id");
    candidate.id = id ? id->find_int().value_or(0) : 0;
    const auto fields = item.find_member("fields");
    if (!fields) continue;
    for (const JsonValue field : fields->children())
      candidate.fields.emplace_back(field.key(), to_field_value(field));
  }
  return answer;
}

std::vector<std::string> find_failures(const Expectation& expect, const Answer& answer) {
  return Comparison(expect, answer).run();
}

}  // namespace millrace::rankd
