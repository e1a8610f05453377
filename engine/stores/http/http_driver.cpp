#include "stores/http/http_driver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "net/uv_connector.h"
#include "stores/http/http_fetch_client.h"
#include "stores/http/http_probe.h"

namespace millrace::stores {

base::Result<tasks::ConnectedClient> HttpDriver::connect(const tasks::EndpointPlace& place,
                                                         const tasks::ClientServices& services) {
  // Only the time for which a failing server is left alone is random: seeds need to differ, not to
  // be kept.
  const auto seed =
      static_cast<std::uint64_t>(base::steady_clock().now().time_since_epoch().count());
  auto connector = std::make_shared<net::UvConnector>(services.loop);
  net::HttpClientOptions options = http_options_of(place.endpoint, place.root);
  options.endpoint = place.endpoint.name;
  options.log = services.log;
  auto client =
      std::make_unique<HttpFetchClient>(services.loop, *connector, std::move(options), seed);
  return tasks::ConnectedClient{.transport = std::move(connector), .client = std::move(client)};
}

base::Result<std::string> HttpDriver::probe(const tasks::EndpointPlace& place) {
  const auto status = probe_http(place.endpoint, place.root);
  if (!status) {
    return base::fail(status.error().code(),
                      status.error().message() +
                          "; nodes that use it fail, or take their on_failure. Start the server, "
                          "or correct registry/endpoints.toml.");
  }
  return base::format("answered with status {}", *status);
}

}  // namespace millrace::stores
