#include "net/http/http_reply_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "base/append_texts.h"
#include "base/format.h"
#include "base/wall_clock.h"
#include "net/http_head.h"

namespace millrace::net {
namespace {

using namespace std::string_view_literals;

struct Phrase {
  int status;
  std::string_view text;
};
constexpr Phrase kPhrases[] = {
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

/// Fields that only the connection may write.
constexpr std::string_view kConnectionFields[] = {
    "content-length", "transfer-encoding", "connection", "keep-alive", "date"};
/// A bit for the length of each.
constexpr std::uint64_t kConnectionFieldSizes = [] {
  std::uint64_t lengths = 0;
  for (const std::string_view own : kConnectionFields) lengths |= std::uint64_t{1} << own.size();
  return lengths;
}();

bool is_of_connection(std::string_view name) {
  if (name.size() >= 64 || (kConnectionFieldSizes >> name.size() & 1) == 0) return false;
  return std::ranges::any_of(kConnectionFields,
                             [&](std::string_view own) { return equal_ignoring_case(own, name); });
}

/// The digits of a number.
class NumberText {
 public:
  explicit NumberText(std::size_t number, int base = 10)
      : end_(std::to_chars(digits_.data(), digits_.data() + digits_.size(), number, base).ptr) {}
  operator std::string_view() const {  // NOLINT(google-explicit-constructor): it is one
    return {digits_.data(), static_cast<std::size_t>(end_ - digits_.data())};
  }

 private:
  std::array<char, 24> digits_;
  const char* end_;
};

/// What stands between and behind name and value of a field.
constexpr std::string_view kFieldMarks = ": \r\n";
/// More than all parts of a head that are always the same, with the numbers.
constexpr std::size_t kFixedBytesMax = 192;

}  // namespace

std::string_view http_reason_phrase(int status) {
  const auto* const found = std::ranges::lower_bound(kPhrases, status, {}, &Phrase::status);
  return found != std::end(kPhrases) && found->status == status ? found->text : std::string_view();
}

std::string_view HttpDate::at(base::WallTime time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  if (second == second_) return text_;
  second_ = second;
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(second - day);
  text_ =
      base::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                   kDays.substr(std::size_t{3} * std::chrono::weekday(day).c_encoding(), 3),
                   static_cast<unsigned>(date.day()),
                   kMonths.substr(std::size_t{3} * (static_cast<unsigned>(date.month()) - 1), 3),
                   static_cast<int>(date.year()),
                   clock.hours().count(),
                   clock.minutes().count(),
                   clock.seconds().count());
  return text_;
}

void append_reply_head(std::string& text, const HttpReplyForm& form, const HttpFields& fields) {
  const std::string_view phrase = http_reason_phrase(form.status);
  const NumberText status(static_cast<std::size_t>(form.status));
  const NumberText length(form.body_bytes);
  const std::size_t before = text.size();
  const std::size_t bytes_max = before + kFixedBytesMax + phrase.size() + form.date.size() +
                                fields.text_bytes() + fields.size() * kFieldMarks.size();
  // Room for all parts is made once.
  text.resize_and_overwrite(bytes_max, [&](char* bytes, std::size_t) {
    char* at = bytes + before;
    const auto put = [&at](const auto&... parts) {
      const auto put_one = [&at](std::string_view part) {
        at = std::copy(part.begin(), part.end(), at);
      };
      (put_one(parts), ...);
    };
    put("HTTP/1.1 "sv, status, " "sv, phrase, "\r\n"sv);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const HttpField field = fields[i];
      if (!is_http_token(field.name) || !is_http_field_value(field.value)) continue;
      if (is_of_connection(field.name)) continue;
      put(field.name, ": "sv, field.value, "\r\n"sv);
    }
    if (!form.date.empty()) put("Date: "sv, form.date, "\r\n"sv);
    if (form.framing == HttpBodyFraming::kLength) {
      put("Content-Length: "sv, length, "\r\n"sv);
    } else if (form.framing == HttpBodyFraming::kChunks) {
      put("Transfer-Encoding: chunked\r\n"sv);
    }
    if (form.closes) {
      put("Connection: close\r\n"sv);
    } else if (form.says_keep_alive) {
      put("Connection: keep-alive\r\n"sv);
    }
    put("\r\n"sv);
    return static_cast<std::size_t>(at - bytes);
  });
}

void append_chunk(std::string& text, std::string_view piece) {
  if (piece.empty()) return;
  base::append_texts(text, NumberText(piece.size(), 16), "\r\n", piece, "\r\n");
}

}  // namespace millrace::net
