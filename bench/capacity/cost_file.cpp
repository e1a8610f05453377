#include "bench/capacity/cost_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "bench/capacity/fleet.h"

namespace millrace::bench {
namespace {

/// Reads members of one object; the first that is wrong is kept.
class CostReader {
 public:
  explicit CostReader(base::JsonValue object) : object_(object) {}

  /// Gives the member, or `usual` if it is absent.
  double number(std::string_view name, double usual, double maximum) {
    const auto member = object_.find_member(name);
    if (!member) return usual;
    const auto number = member->find_number();
    if (number && *number > 0 && *number <= maximum) return *number;
    if (status_) {
      status_ = base::fail(base::ErrorCode::kInvalidArgument,
                           base::format("Not a number above 0 and up to {}", maximum),
                           std::string(name));
    }
    return usual;
  }
  [[nodiscard]] const base::Status& status() const { return status_; }

 private:
  base::JsonValue object_;
  base::Status status_;
};

constexpr double kMicrosecond = 1e-6;
constexpr double kTimeMax = 1e9;  // us
constexpr double kCountMax = 1e4;

}  // namespace

base::Result<RequestCost> read_cost(std::string_view json) {
  const auto document = base::read_json(json);
  if (!document) {
    return base::fail(
        base::ErrorCode::kInvalidArgument,
        document.error().message,
        base::format("{}:{}", document.error().place.line, document.error().place.column));
  }
  CostReader reader(document->root());
  RequestCost cost;
  const auto seconds = [&reader](std::string_view name, double usual) {
    return reader.number(name, usual / kMicrosecond, kTimeMax) * kMicrosecond;
  };
  cost.cpu_seconds = seconds("cpu_us_per_request", cost.cpu_seconds);
  cost.batch_seconds = seconds("redis_us_per_batch", cost.batch_seconds);
  cost.command_seconds = seconds("redis_us_per_command", cost.command_seconds);
  cost.wire_seconds = seconds("wire_us", cost.wire_seconds);
  const double rounds = reader.number("round_trips_per_request", cost.rounds, kCountMax);
  const double commands = reader.number(
      "commands_per_request", static_cast<double>(cost.rounds) * cost.keys_per_round, kCountMax);
  if (!reader.status()) return std::unexpected(reader.status().error());
  cost.rounds = std::max(1U, static_cast<std::uint32_t>(std::lround(rounds)));
  cost.keys_per_round =
      std::max(1U, static_cast<std::uint32_t>(std::lround(commands / cost.rounds)));
  return cost;
}

}  // namespace millrace::bench
