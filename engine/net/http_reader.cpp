#include "net/http_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <llhttp.h>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "net/http_head.h"
#include "net/http_message.h"

namespace millrace::net {
namespace {

using base::Error;
using base::ErrorCode;

/// How many bytes may stand around each byte of a body in chunks. A chunk of one byte needs five
/// more; the rest is for extensions.
constexpr std::size_t kChunkBytesPerByte = 16;
constexpr int kInterimStatusEnd = 200;
constexpr int kRefused = -1;

const char* text_of(HttpProblem problem) {
  switch (problem) {
    case HttpProblem::kHeadSize:
      return "its headers are over the limit";
    case HttpProblem::kFieldCount:
      return "its number of headers is over the limit";
    case HttpProblem::kTargetSize:
      return "its target is over the limit";
    case HttpProblem::kBodySize:
      return "its body is over the limit";
    case HttpProblem::kVersion:
      return "its version is not 1.0 or 1.1";
    case HttpProblem::kProtocol:
      return "changes the protocol";
    case HttpProblem::kEndsEarly:
      return "ends early";
    case HttpProblem::kNone:
    case HttpProblem::kSyntax:
      break;
  }
  return nullptr;
}

bool is_limit(HttpProblem problem) {
  return problem == HttpProblem::kHeadSize || problem == HttpProblem::kFieldCount ||
         problem == HttpProblem::kTargetSize || problem == HttpProblem::kBodySize;
}

}  // namespace

struct HttpReader::State {
  llhttp_t parser{};
  llhttp_settings_t settings{};
  const Kind kind;
  HttpLimits limits;
  bool is_reply_to_head = false;
  HttpRequestHead request;
  HttpReplyHead reply;
  HttpSink* sink = nullptr;  // during a call
  std::size_t fed_bytes = 0;
  std::size_t body_bytes = 0;
  bool in_head = true;
  bool complete = false;
  bool keeps_alive = false;
  HttpProblem problem = HttpProblem::kNone;

  explicit State(Kind of_kind) : kind(of_kind) {
    llhttp_settings_init(&settings);
    settings.on_message_begin = &message_begin;
    settings.on_url = &url;
    settings.on_url_complete = &url_complete;
    settings.on_header_field = &field_name;
    settings.on_header_value = &field_value;
    settings.on_header_value_complete = &field_complete;
    settings.on_headers_complete = &headers_complete;
    settings.on_chunk_header = &chunk_header;
    settings.on_body = &body;
    settings.on_message_complete = &message_complete;
  }

  static State& of(llhttp_t* parser) { return *static_cast<State*>(parser->data); }
  [[nodiscard]] HttpFields& fields() {
    return kind == Kind::kRequest ? request.fields : reply.fields;
  }
  [[nodiscard]] HttpVersion version() const {
    return {.major = parser.http_major, .minor = parser.http_minor};
  }
  [[nodiscard]] bool is_interim() const {
    return kind == Kind::kReply && parser.status_code < kInterimStatusEnd;
  }

  static int message_begin(llhttp_t* parser) {
    State& state = of(parser);
    state.in_head = true;
    state.request.target.clear();
    state.fields().clear();
    return 0;
  }
  static int url(llhttp_t* parser, const char* bytes, std::size_t size) {
    of(parser).request.target.append(bytes, size);
    return 0;
  }
  // Limits are checked where a part is complete, not where a piece of it arrives: so the split of
  // the bytes does not decide which problem comes first.
  static int url_complete(llhttp_t* parser) {
    State& state = of(parser);
    if (state.request.target.size() <= state.limits.target_bytes_max) return 0;
    return state.refuse(HttpProblem::kTargetSize);
  }
  static int field_name(llhttp_t* parser, const char* bytes, std::size_t size) {
    State& state = of(parser);
    if (state.in_head) state.fields().extend_name({bytes, size});
    return 0;
  }
  static int field_value(llhttp_t* parser, const char* bytes, std::size_t size) {
    State& state = of(parser);
    if (state.in_head) state.fields().extend_value({bytes, size});
    return 0;
  }
  static int field_complete(llhttp_t* parser) {
    State& state = of(parser);
    if (!state.in_head) return 0;
    state.fields().end_field();
    if (state.fields().size() <= state.limits.field_count_max) return 0;
    return state.refuse(HttpProblem::kFieldCount);
  }
  static int headers_complete(llhttp_t* parser) {
    State& state = of(parser);
    state.in_head = false;
    const bool has_length = (parser->flags & F_CONTENT_LENGTH) != 0;
    if (parser->http_major != 1) return state.refuse(HttpProblem::kVersion);
    if (has_length && !state.is_reply_to_head &&
        parser->content_length > state.limits.body_bytes_max) {
      return state.refuse(HttpProblem::kBodySize);
    }
    if (state.kind == Kind::kRequest) {
      parser->upgrade = 0;
      state.request.method = llhttp_method_name(static_cast<llhttp_method_t>(parser->method));
      state.request.version = state.version();
    } else {
      state.reply.status = parser->status_code;
      state.reply.version = state.version();
    }
    if (!state.is_interim()) state.sink->on_head();
    // One means that no body follows, whatever the fields say.
    return state.is_reply_to_head ? 1 : 0;
  }
  static int chunk_header(llhttp_t* parser) {
    State& state = of(parser);
    const std::size_t left = state.limits.body_bytes_max - state.body_bytes;
    return parser->content_length > left ? state.refuse(HttpProblem::kBodySize) : 0;
  }
  static int body(llhttp_t* parser, const char* bytes, std::size_t size) {
    State& state = of(parser);
    if (size > state.limits.body_bytes_max - state.body_bytes) {
      return state.refuse(HttpProblem::kBodySize);
    }
    state.body_bytes += size;
    if (size > 0) state.sink->on_body({bytes, size});
    return 0;
  }
  static int message_complete(llhttp_t* parser) {
    State& state = of(parser);
    if (state.is_interim()) return 0;
    state.keeps_alive = llhttp_should_keep_alive(parser) != 0;
    state.complete = true;
    return HPE_PAUSED;
  }
  int refuse(HttpProblem what) {
    problem = what;
    return kRefused;
  }

  /// How many bytes outside the body may still come.
  [[nodiscard]] std::size_t allowance() const {
    const std::size_t allowed = limits.header_bytes_max + kChunkBytesPerByte * body_bytes;
    const std::size_t used = fed_bytes - body_bytes;
    return allowed - std::min(allowed, used);
  }
  [[nodiscard]] bool is_over_allowance() const {
    return fed_bytes - body_bytes > limits.header_bytes_max + kChunkBytesPerByte * body_bytes;
  }
};

HttpReader::HttpReader(Kind kind) : state_(std::make_unique<State>(kind)) {}
HttpReader::~HttpReader() = default;

void HttpReader::begin(const HttpLimits& limits, bool is_reply_to_head) {
  State& state = *state_;
  llhttp_init(
      &state.parser, state.kind == Kind::kRequest ? HTTP_REQUEST : HTTP_RESPONSE, &state.settings);
  state.parser.data = &state;
  state.limits = limits;
  state.is_reply_to_head = is_reply_to_head;
  state.request.target.clear();
  state.fields().clear();
  state.fed_bytes = 0;
  state.body_bytes = 0;
  state.in_head = true;
  state.complete = false;
  state.keeps_alive = false;
  state.problem = HttpProblem::kNone;
}

base::Result<HttpReader::Step> HttpReader::feed(std::string_view bytes, HttpSink& sink) {
  State& state = *state_;
  state.sink = &sink;
  std::size_t consumed = 0;
  while (consumed < bytes.size()) {
    // A slice cannot pass the limit unless it is a single byte. So the limit is passed at the same
    // byte in every split.
    const std::size_t slice_max = std::max<std::size_t>(1, state.allowance());
    const std::string_view slice = bytes.substr(consumed, slice_max);
    const llhttp_errno_t code = llhttp_execute(&state.parser, slice.data(), slice.size());
    if (state.complete) {
      const char* const stop = llhttp_get_error_pos(&state.parser);
      const auto taken = static_cast<std::size_t>(stop - slice.data());
      state.fed_bytes += taken;
      return Step{.consumed = consumed + taken, .is_done = true};
    }
    state.fed_bytes += slice.size();
    consumed += slice.size();
    if (code != HPE_OK) return refuse(code);
    if (state.is_over_allowance()) {
      state.problem = HttpProblem::kHeadSize;
      return refuse(code);
    }
  }
  return Step{.consumed = consumed};
}

base::Status HttpReader::end(HttpSink& sink) {
  State& state = *state_;
  state.sink = &sink;
  const llhttp_errno_t code = llhttp_finish(&state.parser);
  if (state.complete) return {};
  if (code == HPE_OK || code == HPE_INVALID_EOF_STATE) state.problem = HttpProblem::kEndsEarly;
  return refuse(code);
}

HttpRequestHead& HttpReader::request_head() {
  MR_CHECK(state_->kind == Kind::kRequest);
  return state_->request;
}
HttpReplyHead& HttpReader::reply_head() {
  MR_CHECK(state_->kind == Kind::kReply);
  return state_->reply;
}
void HttpReader::release_memory() {
  state_->request = {};
  state_->reply = {};
}
bool HttpReader::keeps_alive() const { return state_->keeps_alive; }
bool HttpReader::has_begun() const { return state_->fed_bytes > 0; }
HttpProblem HttpReader::problem() const { return state_->problem; }

std::unexpected<Error> HttpReader::refuse(int code) {
  State& state = *state_;
  const bool is_request = state.kind == Kind::kRequest;
  if (state.problem == HttpProblem::kNone) {
    const bool is_other_version = code == HPE_PAUSED_H2_UPGRADE || code == HPE_INVALID_VERSION;
    state.problem = code == HPE_PAUSED_UPGRADE ? HttpProblem::kProtocol
                    : is_other_version         ? HttpProblem::kVersion
                                               : HttpProblem::kSyntax;
  }
  const std::string name = is_request ? "HTTP request" : "HTTP reply";
  if (is_limit(state.problem)) {
    return base::fail(ErrorCode::kResourceExhausted,
                      name + " too large: " + text_of(state.problem));
  }
  const char* reason = text_of(state.problem);
  if (reason == nullptr) reason = llhttp_get_error_reason(&state.parser);
  if (reason == nullptr || *reason == '\0') {
    reason = llhttp_errno_name(static_cast<llhttp_errno_t>(code));
  }
  return base::fail(is_request ? ErrorCode::kInvalidArgument : ErrorCode::kUnavailable,
                    "Bad " + name + ": " + reason);
}

}  // namespace millrace::net
