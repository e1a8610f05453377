#include "net/http_reply_reader.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "net/http_message.h"
#include "net/http_reader.h"

namespace millrace::net {

void HttpReplyReader::begin(std::string_view method, const HttpLimits& limits) {
  reader_.begin(limits, method == "HEAD");
  body_.clear();
}

base::Result<HttpReplyReader::Progress> HttpReplyReader::feed(std::string_view bytes) {
  MR_TRY(const HttpReader::Step step, reader_.feed(bytes, *this));
  if (!step.is_done) return Progress::kMore;
  if (step.consumed == bytes.size()) return Progress::kDone;
  return base::fail(base::ErrorCode::kUnavailable, "Bad HTTP reply: bytes after its end");
}

base::Status HttpReplyReader::end() { return reader_.end(*this); }

HttpReply HttpReplyReader::take() {
  HttpReplyHead& head = reader_.reply_head();
  return {.status = head.status,
          .body = std::exchange(body_, {}),
          .fields = std::exchange(head.fields, {})};
}

}  // namespace millrace::net
