// Any bytes are either read as a request or refused with a message. A request that is read
// satisfies the documented limits, and a reader that was used before gives the same result.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "rank/request.h"

namespace {

using namespace millrace::rank;  // NOLINT(google-build-using-namespace)

void check_whole(const Request& request) {
  MR_CHECK(std::is_sorted(request.exclude.begin(), request.exclude.end()));
  MR_CHECK(std::adjacent_find(request.exclude.begin(), request.exclude.end()) ==
           request.exclude.end());
  MR_CHECK(!request.limit || *request.limit >= 0);
  MR_CHECK(!request.deadline || *request.deadline <= std::chrono::hours(1));
  MR_CHECK(!request.deadline || request.deadline->count() >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static RequestReader used_reader;
  static Request used_request;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto again = used_reader.read(bytes, used_request);
  RequestReader reader;
  Request request;
  const auto read = reader.read(bytes, request);
  MR_CHECK(read.has_value() == again.has_value());
  MR_CHECK(request.request_id == used_request.request_id);
  if (!read) {
    MR_CHECK(!read.error().message.empty());
    MR_CHECK(read.error().code == again.error().code);
    return 0;
  }
  check_whole(request);
  MR_CHECK(request.user_id == used_request.user_id);
  MR_CHECK(request.exclude == used_request.exclude);
  MR_CHECK(request.params.size() == used_request.params.size());
  return 0;
}
