#include "rank/given_values.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "rank/request_values.h"
#include "tasks/request_candidates.h"

namespace millrace::rank {
namespace {

// What is wrong with a key that candidates have.
struct KeyProblem {
  RankErrorCode code;
  std::string message;
};

// Gives the registered key that candidates may have under this name.
std::expected<const plan::FieldInfo*, KeyProblem> find_given_key(const plan::Registry& registry,
                                                                 std::string_view name) {
  const plan::FieldInfo* const key = registry.find_key(name);
  if (key == nullptr) {
    std::vector<std::string_view> known;
    for (const plan::FieldInfo& info : registry.keys()) known.emplace_back(info.name);
    return std::unexpected(KeyProblem{
        .code = RankErrorCode::kUnknownField,
        .message = base::format("'candidates' give '{}', but no such key is registered{}",
                                base::shortened(name),
                                base::did_you_mean(name, known))});
  }
  if (plan::is_built_in_key(name)) {
    return std::unexpected(KeyProblem{
        .code = RankErrorCode::kNotAllowed,
        .message =
            base::format("'candidates' may not give '{}', which the engine sets by itself", name)});
  }
  if (key->lifecycle == plan::Lifecycle::kBlocked) {
    return std::unexpected(KeyProblem{
        .code = RankErrorCode::kNotAllowed,
        .message = base::format("'candidates' may not give '{}', which is blocked", name)});
  }
  return key;
}

}  // namespace

bool fits(const rows::Value& value, rows::ColumnType type) {
  if (std::holds_alternative<std::monostate>(value)) return true;
  switch (type) {
    case rows::ColumnType::kInt64:
      return std::holds_alternative<std::int64_t>(value);
    case rows::ColumnType::kFloat64:
      return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
    case rows::ColumnType::kBool:
      return std::holds_alternative<bool>(value);
    case rows::ColumnType::kString:
      return std::holds_alternative<std::string_view>(value);
  }
  return false;
}

std::expected<void, RankError> check_candidates(const Request& request,
                                                const plan::Registry& registry) {
  for (const tasks::RequestCandidates::Given& given : request.candidates->given()) {
    const auto refuse = [&](std::size_t row, RankErrorCode code, std::string message) {
      return refuse_given(
          request.document, {"candidates", row, given.key}, code, std::move(message));
    };
    auto key = find_given_key(registry, given.key);
    if (!key)
      return refuse(given.entries.front().row, key.error().code, std::move(key.error().message));
    for (const tasks::RequestCandidates::Entry& entry : given.entries) {
      const bool is_null = std::holds_alternative<std::monostate>(entry.value);
      if (fits(entry.value, (*key)->type) && !(is_null && !(*key)->nullable)) continue;
      return refuse(entry.row,
                    RankErrorCode::kWrongType,
                    base::format("'candidates[{}].{}' must be {}{}, as the key is registered",
                                 entry.row,
                                 given.key,
                                 rows::to_string((*key)->type),
                                 (*key)->nullable ? " or null" : ""));
    }
  }
  return {};
}

}  // namespace millrace::rank
