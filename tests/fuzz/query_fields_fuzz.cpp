// For any text, reading it as the query of a ranking request gives a problem, or a request that the
// reader of requests takes for JSON.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/formats/json_reader.h"
#include "server/query_fields.h"
#include "server/route_table.h"

namespace {

/// What the query of a ranking request may have.
std::span<const millrace::server::QueryField> rank_query() {
  const auto routes = millrace::server::route_table();
  const auto found = std::ranges::find_if(routes, [](const auto& route) {
    return route.action == millrace::server::RouteAction::kRankByQuery;
  });
  MR_CHECK(found != routes.end());
  return found->query;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace millrace;  // NOLINT(google-build-using-namespace)
  const std::string_view query(reinterpret_cast<const char*>(data), size);
  const auto fields = server::QueryFields::read(query, rank_query());
  if (!fields) {
    MR_CHECK(!fields.error().code.empty());
    return 0;
  }
  std::string request;
  if (!server::write_request(*fields, request)) return 0;
  MR_CHECK(base::read_json(request).has_value(), request);
  return 0;
}
