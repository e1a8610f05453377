#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/log/log.h"

namespace millrace::observe {

/// Everything the log says about one request (S42). A text that is not known is empty.
/// Lifetime: borrows its texts for one call.
struct RequestRecord {
  std::string_view request_id = {};
  std::string_view engine_request_id = {};
  std::string_view trace_id = {};
  std::string_view method = {};
  std::string_view route = {};  ///< the pattern, never the path: that is the caller's text
  std::string_view client = {};
  std::string_view plan = {};
  std::string_view version = {};
  int status = 0;
  std::string_view outcome = {};
  std::string_view error_code = {};
  std::string_view priority = {};
  std::string_view key = {};  ///< the name of the caller's key, never its text
  base::Duration took{};
  base::Duration read{};
  base::Duration wait{};
  base::Duration run{};
  std::uint64_t rows = 0;
  std::uint64_t degraded = 0;
  std::uint64_t store_trips = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Which requests get a line: one of every `one_in`; 0 stands for none. Errors get one if `errors`
/// says so, whatever `one_in` is.
struct RequestLogRule {
  std::uint64_t one_in = 1;
  bool errors = true;

  friend bool operator==(const RequestLogRule&, const RequestLogRule&) = default;
};

/// Reads `all`, `errors`, `off` or `1/N`; with `1/N` errors are always logged.
[[nodiscard]] std::optional<RequestLogRule> parse_request_log_rule(std::string_view text);

/// Writes the line `request` of each request.
/// Threading: loop thread; one per loop. Lifetime: borrows the logger.
class RequestLog {
 public:
  RequestLog(base::Logger* log, RequestLogRule rule) : log_(log), rule_(rule) {}

  /// Whether any request gets a line.
  [[nodiscard]] bool is_on() const {
    return log_ != nullptr && (rule_.one_in != 0 || rule_.errors);
  }
  /// Whether a request with this status gets a line, as far as the rule goes without its turn.
  [[nodiscard]] bool takes(int status) const;
  void write(const RequestRecord& record);

 private:
  base::Logger* const log_;  // nullptr: nothing is logged
  const RequestLogRule rule_;
  std::uint64_t seen_count_ = 0;
};

}  // namespace millrace::observe
