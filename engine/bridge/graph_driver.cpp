#include "bridge/graph_driver.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/did_you_mean.h"
#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "bridge/state_table_client.h"

namespace millrace::bridge {

base::Status GraphDriver::check(const plan::EndpointInfo& endpoint) const {
  if (tables_ == nullptr) return {};
  for (const std::string& table : endpoint.tables) {
    const std::vector<std::string>& known = tables_->names();
    if (std::ranges::find(known, table) != known.end()) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    return base::fail(base::ErrorCode::kNotFound,
                      base::format("Endpoint '{}': no component of the graph '{}' writes the state "
                                   "table '{}'{}",
                                   endpoint.name,
                                   tables_->graph(),
                                   table,
                                   base::did_you_mean(table, names)));
  }
  return {};
}

base::Result<tasks::ConnectedClient> GraphDriver::connect(const tasks::EndpointPlace& place,
                                                          const tasks::ClientServices&) {
  MR_TRY_STATUS(check(place.endpoint));
  return tasks::ConnectedClient{.transport = {}, .client = std::make_unique<StateTableClient>()};
}

base::Result<std::string> GraphDriver::probe(const tasks::EndpointPlace& place) {
  if (tables_ == nullptr) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "no graph runs in this process; start it with --graph FILE");
  }
  MR_TRY_STATUS(check(place.endpoint));
  if (const auto problem = problem_ ? problem_() : std::nullopt)
    return base::fail(base::ErrorCode::kUnavailable, *problem);
  return base::format("tables of the graph {}", tables_->graph());
}

}  // namespace millrace::bridge
