#include "net/http/http_request_reader.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "net/http/http_framing.h"
#include "net/http/http_handler.h"
#include "net/http_head.h"
#include "net/http_message.h"
#include "net/http_reader.h"

namespace millrace::net {
namespace {

/// No limit that matters: who gets the body counts it.
constexpr std::size_t kAnyBody = std::size_t{1} << 50;

constexpr HttpRefusal kBadSyntax{400, "The request is no HTTP/1.1 message."};
constexpr HttpRefusal kTwoReadings{400, "The framing of the request has more than one reading."};
constexpr HttpRefusal kVersion{505, "Only HTTP/1.1 and HTTP/1.0 are spoken."};
constexpr HttpRefusal kHeadTooLarge{431, "The head of the request is larger than allowed."};
constexpr HttpRefusal kTooManyFields{431, "The request has more fields than allowed."};
constexpr HttpRefusal kTargetTooLong{414, "The target of the request is longer than allowed."};

const HttpRefusal& refusal_of(HttpProblem problem) {
  switch (problem) {
    case HttpProblem::kHeadSize:
      return kHeadTooLarge;
    case HttpProblem::kFieldCount:
      return kTooManyFields;
    case HttpProblem::kTargetSize:
      return kTargetTooLong;
    case HttpProblem::kVersion:
      return kVersion;
    case HttpProblem::kNone:
    case HttpProblem::kSyntax:
    case HttpProblem::kProtocol:
    case HttpProblem::kEndsEarly:
    case HttpProblem::kBodySize:
      break;
  }
  return kBadSyntax;
}

}  // namespace

HttpRequestReader::HttpRequestReader(const HttpLimits& limits) : limits_(limits) {
  limits_.body_bytes_max = kAnyBody;
  begin();
}

void HttpRequestReader::begin() {
  framing_.begin();
  reader_.begin(limits_);
  method_.clear();
  head_told_ = false;
  head_seen_ = false;
  is_done_ = false;
  body_seen_ = 0;
  extension_bytes_ = 0;
}

bool HttpRequestReader::keeps_alive() {
  const HttpRequestHead& about = head();
  if (about.fields.has_token("connection", "close")) return false;
  return about.version.minor > 0 || about.fields.has_token("connection", "keep-alive");
}

HttpRequestReader::Step HttpRequestReader::refuse(const HttpRefusal& reason, std::size_t consumed) {
  refusal_ = reason;
  return {.event = Event::kRefused, .consumed = consumed};
}

bool HttpRequestReader::feed(std::string_view bytes) {
  if (bytes.empty()) return true;
  const auto step = reader_.feed(bytes, *this);
  if (!step) {
    refusal_ = refusal_of(reader_.problem());
    return false;
  }
  is_done_ = step->is_done;
  // llhttp must not see the end of a request where the framing does not.
  if (step->consumed == bytes.size()) return true;
  refusal_ = kTwoReadings;
  return false;
}

HttpRequestReader::Step HttpRequestReader::next(std::string_view bytes) {
  std::size_t consumed = 0;
  while (true) {
    if (framing_.is_complete() && head_told_) {
      if (!is_done_) return refuse(kTwoReadings, consumed);
      return {.event = Event::kComplete, .consumed = consumed};
    }
    if (consumed == bytes.size()) return {.event = Event::kNeedMore, .consumed = consumed};
    const bool was_in_method = framing_.is_in_method();
    const HttpFraming::Segment segment = framing_.next(bytes.substr(consumed));
    const std::string_view text = bytes.substr(consumed, segment.size);
    consumed += segment.size;
    const bool is_held = was_in_method && (framing_.is_in_method() || !method_.empty());
    if (is_held) method_ += text;
    if (framing_.is_in_method()) {
      if (method_.size() > limits_.header_bytes_max) return refuse(kHeadTooLarge, consumed);
      if (framing_.refusal() != nullptr) return refuse(*framing_.refusal(), consumed);
      continue;
    }
    if (segment.part == HttpFraming::Part::kExtension) {
      // Dropped here, because llhttp knows only a part of their syntax.
      extension_bytes_ += segment.size;
      if (extension_bytes_ > limits_.header_bytes_max) return refuse(kHeadTooLarge, consumed);
      if (framing_.refusal() != nullptr) return refuse(*framing_.refusal(), consumed);
      continue;
    }
    const std::size_t body_before = body_seen_;
    if (!feed(is_held ? std::string_view(method_) : text)) return refuse(refusal_, consumed);
    if (const HttpRefusal* reason = framing_.refusal()) return refuse(*reason, consumed);
    if (segment.part == HttpFraming::Part::kBody) {
      if (body_seen_ - body_before != segment.size) return refuse(kTwoReadings, consumed);
      return {.event = Event::kBody, .consumed = consumed, .piece = text};
    }
    if (body_seen_ != body_before) return refuse(kTwoReadings, consumed);
    if (head_seen_ != framing_.is_head_complete()) return refuse(kTwoReadings, consumed);
    if (head_seen_ && !head_told_) {
      head_told_ = true;
      return {.event = Event::kHead, .consumed = consumed};
    }
  }
}

void HttpRequestReader::release_memory() {
  method_ = {};
  reader_.release_memory();
}

}  // namespace millrace::net
