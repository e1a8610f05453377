#include "net/http/http_framing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "net/http/http_handler.h"
#include "net/http/planted_bug.h"
#include "net/http_head.h"

namespace millrace::net {
namespace {

constexpr int kBadRequest = 400;
constexpr int kNotImplemented = 501;
constexpr int kVersionNotSupported = 505;

constexpr HttpRefusal kBadLineEnd{kBadRequest, "Every line of a request must end with CR LF."};
constexpr HttpRefusal kControlByte{kBadRequest, "The head of the request holds a control byte."};
constexpr HttpRefusal kFoldedLine{kBadRequest, "A line of the head begins with a space or a tab."};
constexpr HttpRefusal kBadMethod{kBadRequest, "The method of the request is no token."};
constexpr HttpRefusal kUnknownMethod{kNotImplemented, "The method of the request is not known."};
constexpr HttpRefusal kBadTarget{kBadRequest,
                                 "The target of the request holds a byte that no target has."};
constexpr HttpRefusal kBadVersion{kBadRequest,
                                  "The first line must be a method, a target and HTTP/1.1."};
constexpr HttpRefusal kOtherVersion{kVersionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken."};
constexpr HttpRefusal kBadName{kBadRequest,
                               "A field name must be a token, directly followed by a colon."};
constexpr HttpRefusal kNoHost{kBadRequest, "An HTTP/1.1 request must have a Host field."};
constexpr HttpRefusal kTwoHosts{kBadRequest, "The request has more than one Host field."};
constexpr HttpRefusal kBadHost{kBadRequest, "The Host field is no host with an optional port."};
constexpr HttpRefusal kTwoLengths{kBadRequest, "The request has more than one Content-Length."};
constexpr HttpRefusal kBadLength{kBadRequest, "Content-Length must be a number of 1 to 15 digits."};
constexpr HttpRefusal kLengthAndCoding{
    kBadRequest, "Content-Length and Transfer-Encoding must not stand side by side."};
constexpr HttpRefusal kTwoCodings{kBadRequest, "Transfer-Encoding must be chunked, and only once."};
constexpr HttpRefusal kOldCoding{kBadRequest, "HTTP/1.0 has no Transfer-Encoding."};
constexpr HttpRefusal kUnknownCoding{kNotImplemented,
                                     "Transfer-Encoding may be chunked and nothing else."};
constexpr HttpRefusal kBadChunkSize{kBadRequest, "The size of a chunk must be 1 to 8 hex digits."};
constexpr HttpRefusal kBadChunkEnd{kBadRequest, "A chunk must end with CR LF."};

constexpr std::uint8_t kLengthDigitsMax = 15;
constexpr std::uint8_t kChunkDigitsMax = 8;
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kVersionText = "HTTP/";
/// What nearly all first lines end with.
constexpr std::string_view kUsualVersion = "HTTP/1.1\r\n";
constexpr std::string_view kMethods[] = {
    "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PRI"};

// What a byte may be part of.
constexpr std::uint8_t kTokenByte = 1;
constexpr std::uint8_t kTargetByte = 2;
constexpr std::uint8_t kValueByte = 4;
constexpr std::uint8_t kHostByte = 8;

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";
  constexpr std::string_view kHostMarks = "-._~%!$&'()*+,;=:[]";
  for (std::size_t byte = 0; byte < classes.size(); ++byte) {
    const char character = static_cast<char>(byte);
    const bool is_alphanumeric = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                                 (byte >= 'A' && byte <= 'Z');
    if (is_alphanumeric || kTokenMarks.contains(character)) classes[byte] |= kTokenByte;
    if (is_alphanumeric || kHostMarks.contains(character)) classes[byte] |= kHostByte;
    if (byte > 0x20 && byte < 0x7f) classes[byte] |= kTargetByte;
    if ((byte >= 0x20 && byte != 0x7f) || byte == '\t') classes[byte] |= kValueByte;
  }
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool is_of(char byte, std::uint8_t what) {
  return (kClasses[static_cast<unsigned char>(byte)] & what) != 0;
}
/// Where the bytes of a class end, from `index` on.
std::size_t end_of_run(std::string_view bytes, std::size_t index, std::uint8_t what) {
  const char* at = bytes.data() + index;
  const char* const end = bytes.data() + bytes.size();
  while (at != end && is_of(*at, what)) ++at;
  return static_cast<std::size_t>(at - bytes.data());
}

/// Where the bytes of a field's value end, from `index` on: eight at a time as long as none of them
/// is below a space or is DEL.
std::size_t end_of_value(std::string_view bytes, std::size_t index) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = kOnes << 7U;
  while (bytes.size() - index >= sizeof(std::uint64_t)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data() + index, sizeof eight);
    const std::uint64_t without_del = eight ^ (kOnes * 0x7f);
    const std::uint64_t below_space = (eight - kOnes * 0x20) & ~eight;
    const std::uint64_t del = (without_del - kOnes) & ~without_del;
    if (((below_space | del) & kHighBits) != 0) break;
    index += sizeof eight;
  }
  return end_of_run(bytes, index, kValueByte);
}

bool is_space(char byte) { return byte == ' ' || byte == '\t'; }
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

int hex_value(char digit) {
  if (is_digit(digit)) return digit - '0';
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

void HttpFraming::begin() { *this = HttpFraming(); }

std::optional<std::uint64_t> HttpFraming::body_length() const {
  if (is_chunked_) return std::nullopt;
  return body_length_;
}

HttpFraming::Segment HttpFraming::next(std::string_view bytes) {
  if (state_ == State::kLengthBody || state_ == State::kChunkData) {
    const std::size_t size = std::min<std::uint64_t>(bytes.size(), body_left_);
    body_left_ -= size;
    if (body_left_ == 0) {
      state_ = state_ == State::kLengthBody ? State::kComplete : State::kChunkDataCr;
    }
    return {.size = size, .part = Part::kBody};
  }
  if (!is_head_complete()) return {.size = read_head(bytes), .part = Part::kHead};
  const Part part = part_of(bytes.front());
  std::size_t index = 0;
  while (index < bytes.size() && state_ != State::kComplete && state_ != State::kChunkData) {
    if (part_of(bytes[index]) != part || !read(bytes[index])) break;
    ++index;
  }
  return {.size = index, .part = part};
}

std::size_t HttpFraming::read_head(std::string_view bytes) {
  std::size_t index = 0;
  while (!is_head_complete()) {
    index = state_ == State::kLineStart ? skip_plain_lines(bytes, index) : skip_plain(bytes, index);
    if (index == bytes.size() || !read(bytes[index])) break;
    ++index;
    if (index == bytes.size()) break;
  }
  return index;
}

HttpFraming::Part HttpFraming::part_of(char byte) const {
  const bool is_extension = state_ == State::kChunkSize
                                ? byte == ';' && digit_count_ > 0
                                : state_ == State::kChunkExtension && byte != '\r';
  return is_extension ? Part::kExtension : Part::kBetween;
}

std::size_t HttpFraming::skip_plain_lines(std::string_view bytes, std::size_t index) {
  while (true) {
    const std::size_t name_end = end_of_run(bytes, index, kTokenByte);
    if (name_end == index || name_end == bytes.size() || bytes[name_end] != ':') return index;
    if (field_of(bytes.substr(index, name_end - index)) != Field::kOther) return index;
    const std::size_t value_end = end_of_value(bytes, name_end + 1);
    if (bytes.substr(value_end, kLineEnd.size()) != kLineEnd) return index;
    index = value_end + kLineEnd.size();
  }
}

std::size_t HttpFraming::skip_plain(std::string_view bytes, std::size_t index) {
  switch (state_) {
    case State::kTarget:
      return end_of_run(bytes, index, kTargetByte);
    case State::kVersion:
      if (kept_count_ > 0 || !bytes.substr(index).starts_with(kUsualVersion)) return index;
      minor_ = 1;
      state_ = State::kLineStart;
      return index + kUsualVersion.size();
    case State::kName: {
      const std::size_t end = end_of_run(bytes, index, kTokenByte);
      keep(bytes.substr(index, end - index));
      return end;
    }
    case State::kValue:
      if (field_ == Field::kOther) return end_of_value(bytes, index);
      if (field_ == Field::kHost && !value_has_gap_) return end_of_run(bytes, index, kHostByte);
      return index;
    default:
      return index;
  }
}

bool HttpFraming::read(char byte) {
  if (state_ <= State::kRequestLineLf) return read_request_line(byte);
  if (state_ <= State::kHeadLf) return read_field(byte);
  return read_chunk(byte);
}

bool HttpFraming::refuse(const HttpRefusal& reason) {
  refusal_ = &reason;
  return false;
}

void HttpFraming::keep(char byte) {
  if (kept_count_ < kKeptBytes) kept_[kept_count_] = byte;
  ++kept_count_;
}

void HttpFraming::keep(std::string_view bytes) {
  const std::size_t room = kKeptBytes - std::min(kKeptBytes, kept_count_);
  std::memcpy(kept_.data() + (kKeptBytes - room), bytes.data(), std::min(room, bytes.size()));
  kept_count_ += bytes.size();
}

std::string_view HttpFraming::kept() const {
  return {kept_.data(), std::min(kept_count_, kKeptBytes)};
}

bool HttpFraming::expect_lf(char byte, State next) {
  if (byte != '\n') return refuse(kBadLineEnd);
  state_ = next;
  return true;
}

bool HttpFraming::read_request_line(char byte) {
  switch (state_) {
    case State::kStart:
      if (byte == '\r') {
        state_ = State::kStartLf;
        return true;
      }
      if (byte == '\n') return refuse(kBadLineEnd);
      if (is_space(byte)) return refuse(kFoldedLine);
      state_ = State::kMethod;
      [[fallthrough]];
    case State::kMethod:
      if (byte == ' ') return end_method();
      if (!is_of(byte, kTokenByte)) return refuse(kBadMethod);
      keep(byte);
      return true;
    case State::kStartLf:
      return expect_lf(byte, State::kStart);
    case State::kTargetStart:
    case State::kTarget:
      if (is_of(byte, kTargetByte)) {
        state_ = State::kTarget;
        return true;
      }
      if (byte == '\r' || byte == '\n') return refuse(kBadVersion);
      if (byte != ' ' || state_ == State::kTargetStart) return refuse(kBadTarget);
      state_ = State::kVersion;
      kept_count_ = 0;
      return true;
    case State::kVersion:
      return read_version(byte);
    default:
      return expect_lf(byte, State::kLineStart);
  }
}

bool HttpFraming::end_method() {
  if (kept_count_ == 0) return refuse(kBadMethod);
  if (kept_count_ > kKeptBytes || std::ranges::find(kMethods, kept()) == std::end(kMethods)) {
    return refuse(kUnknownMethod);
  }
  state_ = State::kTargetStart;
  return true;
}

bool HttpFraming::read_version(char byte) {
  const std::size_t place = kept_count_++;
  const std::size_t major = kVersionText.size();
  if (place < major) return byte == kVersionText[place] || refuse(kBadVersion);
  if (place == major) {
    if (!is_digit(byte)) return refuse(kBadVersion);
    return byte == '1' || refuse(kOtherVersion);
  }
  if (place == major + 1) return byte == '.' || refuse(kBadVersion);
  if (place == major + 2) {
    if (!is_digit(byte)) return refuse(kBadVersion);
    minor_ = static_cast<std::uint8_t>(byte - '0');
    return minor_ <= 1 || refuse(kOtherVersion);
  }
  if (byte == '\n') return refuse(kBadLineEnd);
  if (byte != '\r') return refuse(kBadVersion);
  state_ = State::kRequestLineLf;
  return true;
}

bool HttpFraming::read_field(char byte) {
  switch (state_) {
    case State::kLineStart:
      if (byte == '\r') {
        state_ = State::kHeadLf;
        return true;
      }
      if (byte == '\n') return refuse(kBadLineEnd);
      if (is_space(byte)) return refuse(kFoldedLine);
      if (!is_of(byte, kTokenByte)) return refuse(kBadName);
      state_ = State::kName;
      kept_count_ = 0;
      keep(byte);
      return true;
    case State::kName:
      if (byte == ':') return end_name();
      if (!is_of(byte, kTokenByte)) return refuse(kBadName);
      keep(byte);
      return true;
    case State::kValueStart:
      if (is_space(byte)) return true;
      state_ = State::kValue;
      [[fallthrough]];
    case State::kValue:
      return read_value(byte);
    case State::kValueLf:
      return expect_lf(byte, State::kLineStart);
    default:
      return end_head(byte);
  }
}

HttpFraming::Field HttpFraming::field_of(std::string_view name) {
  constexpr std::string_view kHostName = "host";
  constexpr std::string_view kLengthName = "content-length";
  constexpr std::string_view kCodingName = "transfer-encoding";
  switch (name.size()) {
    case kHostName.size():
      return equal_ignoring_case(name, kHostName) ? Field::kHost : Field::kOther;
    case kLengthName.size():
      return equal_ignoring_case(name, kLengthName) ? Field::kLength : Field::kOther;
    case kCodingName.size():
      return equal_ignoring_case(name, kCodingName) ? Field::kCoding : Field::kOther;
    default:
      return Field::kOther;
  }
}

bool HttpFraming::end_name() {
  field_ = Field::kOther;
  if (!in_trailers_) field_ = field_of(kept_count_ > kKeptBytes ? std::string_view() : kept());
  if (field_ == Field::kHost && ++host_count_ > 1 && !MR_PLANTED_IN_SERVER(kTwoHosts))
    return refuse(kTwoHosts);
  kept_count_ = 0;
  value_has_gap_ = false;
  state_ = State::kValueStart;
  return true;
}

bool HttpFraming::read_value(char byte) {
  if (byte == '\r') {
    state_ = State::kValueLf;
    return end_value();
  }
  if (byte == '\n') return refuse(kBadLineEnd);
  if (!is_of(byte, kValueByte)) return refuse(kControlByte);
  if (field_ == Field::kOther) return true;
  if (field_ == Field::kCoding) {
    keep(byte);
    return true;
  }
  // A host and a length are one word.
  const HttpRefusal& reason = field_ == Field::kHost ? kBadHost : kBadLength;
  if (is_space(byte)) {
    value_has_gap_ = true;
    return true;
  }
  if (value_has_gap_) return refuse(reason);
  const bool fits = field_ == Field::kHost ? is_of(byte, kHostByte) : is_digit(byte);
  if (!fits) return refuse(reason);
  keep(byte);
  return true;
}

bool HttpFraming::end_value() {
  if (field_ == Field::kLength) return end_length();
  if (field_ == Field::kCoding) return end_coding();
  return true;
}

bool HttpFraming::end_length() {
  if (std::exchange(has_length_, true)) return refuse(kTwoLengths);
  if (is_chunked_) return refuse(kLengthAndCoding);
  if (kept_count_ == 0 || kept_count_ > kLengthDigitsMax) return refuse(kBadLength);
  for (const char digit : kept()) {
    body_length_ = body_length_ * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return true;
}

bool HttpFraming::end_coding() {
  if (minor_ == 0) return refuse(kOldCoding);
  if (has_length_) return refuse(kLengthAndCoding);
  if (std::exchange(is_chunked_, true)) return refuse(kTwoCodings);
  if (equal_ignoring_case(kept(), "chunked")) return true;
  HttpFields list;
  list.add("c", kept());
  int chunked_count = 0;
  int other_count = kept_count_ > kKeptBytes ? 1 : 0;
  list.for_each_item("c", [&](std::string_view item) {
    ++(equal_ignoring_case(item, "chunked") ? chunked_count : other_count);
  });
  if (other_count > 0) return refuse(kUnknownCoding);
  return chunked_count == 1 || refuse(kTwoCodings);
}

bool HttpFraming::end_head(char byte) {
  if (byte != '\n') return refuse(kBadLineEnd);
  if (in_trailers_) {
    state_ = State::kComplete;
    return true;
  }
  if (host_count_ == 0 && minor_ > 0) return refuse(kNoHost);
  body_left_ = body_length_;
  state_ = is_chunked_ ? State::kChunkSize : State::kLengthBody;
  if (!is_chunked_ && body_left_ == 0) state_ = State::kComplete;
  return true;
}

bool HttpFraming::read_chunk(char byte) {
  switch (state_) {
    case State::kChunkSize:
      if (const int value = hex_value(byte); value >= 0) {
        body_left_ = body_left_ * 16 + static_cast<std::uint64_t>(value);
        return ++digit_count_ <= kChunkDigitsMax || refuse(kBadChunkSize);
      }
      if (digit_count_ == 0 || (byte != ';' && byte != '\r')) return refuse(kBadChunkSize);
      state_ = byte == ';' ? State::kChunkExtension : State::kChunkSizeLf;
      return true;
    case State::kChunkExtension:
      if (byte == '\r') {
        state_ = State::kChunkSizeLf;
        return true;
      }
      if (byte == '\n') return refuse(kBadLineEnd);
      return is_of(byte, kValueByte) || refuse(kControlByte);
    case State::kChunkSizeLf:
      digit_count_ = 0;
      in_trailers_ = body_left_ == 0;
      return expect_lf(byte, in_trailers_ ? State::kLineStart : State::kChunkData);
    case State::kChunkDataCr:
      if (byte != '\r') return refuse(kBadChunkEnd);
      state_ = State::kChunkDataLf;
      return true;
    default:
      if (byte != '\n') return refuse(kBadChunkEnd);
      state_ = State::kChunkSize;
      return true;
  }
}

}  // namespace millrace::net
