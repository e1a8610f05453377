#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/problem.h"
#include "server/route_table.h"

namespace millrace::server {

/// The fields of a query, decoded.
/// Threading: not shared.
class QueryFields {
 public:
  /// Reads a query. A field that is not in `known` and is not `pretty`, one that stands there twice
  /// and one that cannot be decoded are problems.
  [[nodiscard]] static std::expected<QueryFields, RequestProblem> read(
      std::string_view query, std::span<const QueryField> known);

  /// Lifetime: borrows this.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  [[nodiscard]] bool wants_pretty() const;
  /// Reads a field that says yes (1, true or nothing) or no (0, false, or no field).
  [[nodiscard]] std::expected<bool, RequestProblem> find_flag(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Writes the request that a query stands for, as JSON. Values are checked as far as their types
/// go; the engine checks the rest, as for any request.
[[nodiscard]] std::expected<void, RequestProblem> write_request(const QueryFields& query,
                                                                std::string& out);

}  // namespace millrace::server
