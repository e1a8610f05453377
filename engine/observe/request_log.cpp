#include "observe/request_log.h"

#include <charconv>
#include <chrono>
#include <system_error>

#include "base/log/log_record.h"

namespace millrace::observe {
namespace {

constexpr int kFirstErrorStatus = 400;

double milliseconds(base::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

std::optional<RequestLogRule> parse_request_log_rule(std::string_view text) {
  if (text == "all") return RequestLogRule{.one_in = 1, .errors = true};
  if (text == "errors") return RequestLogRule{.one_in = 0, .errors = true};
  if (text == "off") return RequestLogRule{.one_in = 0, .errors = false};
  constexpr std::string_view kShare = "1/";
  if (!text.starts_with(kShare)) return std::nullopt;
  text.remove_prefix(kShare.size());
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || rest != end || count == 0) return std::nullopt;
  return RequestLogRule{.one_in = count, .errors = true};
}

bool RequestLog::takes(int status) const {
  return log_ != nullptr && (rule_.one_in != 0 || (rule_.errors && status >= kFirstErrorStatus));
}

void RequestLog::write(const RequestRecord& record) {
  if (!takes(record.status)) return;
  const bool is_turn = rule_.one_in != 0 && seen_count_++ % rule_.one_in == 0;
  const bool is_error = rule_.errors && record.status >= kFirstErrorStatus;
  if (!is_turn && !is_error) return;
  log_->info("request",
             "A request was answered",
             {{"request_id", record.request_id},
              {"engine_request_id", record.engine_request_id},
              {"trace_id", record.trace_id},
              {"method", record.method},
              {"route", record.route},
              {"client", record.client},
              {"plan", record.plan},
              {"version", record.version},
              {"status", record.status},
              {"outcome", record.outcome},
              {"error_code", record.error_code},
              {"priority", record.priority},
              {"key", record.key},
              {"took_ms", milliseconds(record.took)},
              {"read_ms", milliseconds(record.read)},
              {"wait_ms", milliseconds(record.wait)},
              {"run_ms", milliseconds(record.run)},
              {"rows", record.rows},
              {"degraded", record.degraded},
              {"store_trips", record.store_trips},
              {"bytes_in", record.bytes_in},
              {"bytes_out", record.bytes_out}});
}

}  // namespace millrace::observe
