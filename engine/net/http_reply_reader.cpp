#include "net/http_reply_reader.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <llhttp.h>

#include "base/error.h"
#include "base/result.h"
#include "net/http_message.h"

namespace millrace::net {
namespace {

using base::Error;
using base::ErrorCode;

/// What may stand around each byte of a body in chunks. A chunk of one byte needs five more; the
/// rest is for extensions.
constexpr std::size_t kChunkBytesPerByte = 16;
constexpr int kInterimStatusEnd = 200;

}  // namespace

struct HttpReplyReader::State {
  llhttp_t parser{};
  llhttp_settings_t settings{};
  HttpLimits limits;
  bool is_head = false;
  HttpReply reply;
  std::size_t fed_bytes = 0;
  bool complete = false;
  bool keeps_alive = false;
  /// Which limit was passed; nullptr for none.
  const char* over = nullptr;

  State() {
    llhttp_settings_init(&settings);
    settings.on_headers_complete = &headers_complete;
    settings.on_body = &body;
    settings.on_message_complete = &message_complete;
  }

  static State& of(llhttp_t* parser) { return *static_cast<State*>(parser->data); }

  static int headers_complete(llhttp_t* parser) {
    State& state = of(parser);
    const bool has_length = (parser->flags & F_CONTENT_LENGTH) != 0;
    if (has_length && !state.is_head && parser->content_length > state.limits.body_bytes_max) {
      return state.refuse("its body");
    }
    // One means: whatever the headers say, no body follows.
    return state.is_head ? 1 : 0;
  }
  static int body(llhttp_t* parser, const char* bytes, std::size_t size) {
    State& state = of(parser);
    if (size > state.limits.body_bytes_max - state.reply.body.size()) {
      return state.refuse("its body");
    }
    state.reply.body.append(bytes, size);
    return 0;
  }
  static int message_complete(llhttp_t* parser) {
    State& state = of(parser);
    if (parser->status_code < kInterimStatusEnd) return 0;
    state.reply.status = parser->status_code;
    state.keeps_alive = llhttp_should_keep_alive(parser) != 0;
    state.complete = true;
    return HPE_PAUSED;
  }
  int refuse(const char* what) {
    over = what;
    return -1;
  }
  [[nodiscard]] bool has_too_many_other_bytes() const {
    const std::size_t body_size = reply.body.size();
    return fed_bytes - body_size > limits.header_bytes_max + kChunkBytesPerByte * body_size;
  }
};

HttpReplyReader::HttpReplyReader() : state_(std::make_unique<State>()) {}
HttpReplyReader::~HttpReplyReader() = default;

void HttpReplyReader::begin(std::string_view method, const HttpLimits& limits) {
  State& state = *state_;
  llhttp_init(&state.parser, HTTP_RESPONSE, &state.settings);
  state.parser.data = &state;
  state.limits = limits;
  state.is_head = method == "HEAD";
  state.reply = {};
  state.fed_bytes = 0;
  state.complete = false;
  state.keeps_alive = false;
  state.over = nullptr;
}

base::Result<HttpReplyReader::Progress> HttpReplyReader::feed(std::string_view bytes) {
  State& state = *state_;
  state.fed_bytes += bytes.size();
  const llhttp_errno_t code = llhttp_execute(&state.parser, bytes.data(), bytes.size());
  if (state.complete) {
    const char* const stop = llhttp_get_error_pos(&state.parser);
    if (stop != bytes.data() + bytes.size()) {
      return base::fail(ErrorCode::kUnavailable, "Bad HTTP reply: bytes after its end");
    }
    return Progress::kDone;
  }
  if (code != HPE_OK) return std::unexpected(failure(code));
  if (state.has_too_many_other_bytes()) {
    state.over = "its headers";
    return std::unexpected(failure(code));
  }
  return Progress::kMore;
}

base::Status HttpReplyReader::end() {
  State& state = *state_;
  const llhttp_errno_t code = llhttp_finish(&state.parser);
  if (state.complete) return {};
  if (code == HPE_OK || code == HPE_INVALID_EOF_STATE) {
    return base::fail(ErrorCode::kUnavailable, "Bad HTTP reply: ends early");
  }
  return std::unexpected(failure(code));
}

HttpReply HttpReplyReader::take() { return std::exchange(state_->reply, {}); }
bool HttpReplyReader::keeps_alive() const { return state_->keeps_alive; }
bool HttpReplyReader::has_begun() const { return state_->fed_bytes > 0; }

Error HttpReplyReader::failure(int code) const {
  const State& state = *state_;
  if (state.over != nullptr) {
    return {ErrorCode::kResourceExhausted,
            std::string("HTTP reply too large: ") + state.over + " is over the limit"};
  }
  if (code == HPE_PAUSED_UPGRADE || code == HPE_PAUSED_H2_UPGRADE) {
    return {ErrorCode::kUnavailable, "Bad HTTP reply: changes the protocol"};
  }
  const char* const reason = llhttp_get_error_reason(&state.parser);
  return {
      ErrorCode::kUnavailable,
      std::string("Bad HTTP reply: ") + (reason == nullptr || *reason == '\0'
                                             ? llhttp_errno_name(static_cast<llhttp_errno_t>(code))
                                             : reason)};
}

}  // namespace millrace::net
