#include "server/call_headers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "base/format.h"
#include "base/problems/message_text.h"

namespace millrace::server {
namespace {

constexpr std::size_t kRequestIdMax = 128;
constexpr std::array<std::string_view, 2> kTimeLimitFields{"X-Deadline-Ms",
                                                           "X-Envoy-Expected-Rq-Timeout-Ms"};
constexpr double kTimeLimitMsMax = 1e9;  // what is longer than any limit of ours anyway

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

bool is_json_type(std::string_view type) {
  constexpr std::string_view kSuffix = "+json";
  return net::equal_ignoring_case(type, "application/json") ||
         (type.size() > kSuffix.size() &&
          net::equal_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix));
}

bool is_line_type(std::string_view type) {
  return net::equal_ignoring_case(type, "application/x-ndjson") ||
         net::equal_ignoring_case(type, "application/jsonl") ||
         net::equal_ignoring_case(type, "application/x-jsonlines");
}

}  // namespace

std::optional<std::string_view> find_request_id(const net::HttpFields& fields) {
  const auto id = fields.find("X-Request-Id");
  if (!id || id->empty() || id->size() > kRequestIdMax) return std::nullopt;
  const bool is_visible =
      std::ranges::all_of(*id, [](char byte) { return byte > ' ' && byte < 127; });
  return is_visible ? id : std::nullopt;
}

std::expected<std::optional<base::Duration>, RequestProblem> find_time_limit(
    const net::HttpFields& fields) {
  std::optional<base::Duration> least;
  for (const std::string_view name : kTimeLimitFields) {
    const auto text = fields.find(name);
    if (!text) continue;
    double milliseconds = 0;
    const char* const end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, milliseconds);
    // Written so that NaN is refused as well.
    if (error != std::errc{} || rest != end || !(milliseconds > 0)) {
      return std::unexpected(RequestProblem{
          .code = "bad_value",
          .detail = base::format("The header {} must be a number of milliseconds above 0, not '{}'",
                                 name,
                                 base::shortened(*text))});
    }
    const auto limit = std::chrono::duration_cast<base::Duration>(
        std::chrono::duration<double, std::milli>(std::min(milliseconds, kTimeLimitMsMax)));
    least = std::min(least.value_or(limit), limit);
  }
  return least;
}

std::expected<void, RequestProblem> check_body_type(const net::HttpFields& fields, bool is_batch) {
  const auto field = fields.find("Content-Type");
  // Nearly all send this.
  if (!field || field->empty() || *field == "application/json") return {};
  const std::size_t semicolon = std::min(field->find(';'), field->size());
  const std::string_view type = without_spaces(field->substr(0, semicolon));
  const bool is_known = is_json_type(type) || (is_batch && is_line_type(type)) ||
                        net::equal_ignoring_case(type, "application/x-www-form-urlencoded");
  std::string_view rest = field->substr(semicolon);
  bool is_utf8 = true;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view item = without_spaces(rest.substr(0, end));
    constexpr std::string_view kCharset = "charset=";
    if (item.size() >= kCharset.size() &&
        net::equal_ignoring_case(item.substr(0, kCharset.size()), kCharset)) {
      const std::string_view name = item.substr(kCharset.size());
      is_utf8 =
          net::equal_ignoring_case(name, "utf-8") || net::equal_ignoring_case(name, "\"utf-8\"");
    }
    rest.remove_prefix(end);
  }
  if (is_known && is_utf8) return {};
  return std::unexpected(
      RequestProblem{.code = "unsupported_media_type",
                     .detail = base::format("A body must be application/json in UTF-8, not '{}'",
                                            base::shortened(*field))});
}

}  // namespace millrace::server
