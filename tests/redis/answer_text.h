#pragma once

#include <string>
#include <string_view>

#include "host/engine.h"
#include "host/waiting_call.h"
#include "rank/request.h"

namespace millrace::live {

/// A response without the fields that depend on time: ids of the request and `took_ms`.
inline std::string timeless(std::string_view response) {
  const std::size_t plan = response.find(R"("plan":)");
  const std::size_t took = response.find(R"("took_ms":)");
  const std::size_t after = response.find(',', took);
  if (plan == std::string_view::npos || took == std::string_view::npos)
    return std::string(response);
  return std::string(response.substr(plan, took - plan)) + std::string(response.substr(after));
}

/// The answer of an engine to a request, without the fields that depend on time.
inline std::string answer(host::Engine& engine, const std::string& request) {
  rank::RequestReader reader;
  host::WaitingCall call;
  call.run(engine.ranker(0), reader, request);
  return timeless(call.response());
}

}  // namespace millrace::live
