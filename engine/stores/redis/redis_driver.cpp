#include "stores/redis/redis_driver.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "net/uv_connector.h"
#include "stores/redis/redis_client.h"
#include "stores/redis/redis_endpoint.h"
#include "stores/redis/redis_probe.h"

namespace millrace::stores {

base::Result<tasks::ConnectedClient> RedisDriver::connect(const tasks::EndpointPlace& place,
                                                          const tasks::ClientServices& services) {
  MR_TRY(RedisSettings settings, redis_settings_of(place.endpoint, place.root));
  // Only the wait between attempts to connect is random: seeds need to differ, not to be kept.
  const auto seed =
      static_cast<std::uint64_t>(base::steady_clock().now().time_since_epoch().count());
  auto connector = std::make_shared<net::UvConnector>(services.loop);
  settings.pool.endpoint = place.endpoint.name;
  settings.pool.log = services.log;
  auto client = std::make_unique<RedisClient>(services.loop, *connector, std::move(settings), seed);
  return tasks::ConnectedClient{.transport = std::move(connector), .client = std::move(client)};
}

base::Result<std::string> RedisDriver::probe(const tasks::EndpointPlace& place) {
  const auto took = probe_redis(place.endpoint, place.root);
  if (!took) {
    return base::fail(
        took.error().code(),
        took.error().message() + "; nodes that use it fail. Use --env dev for embedded data.");
  }
  return base::format("answered in {:.2f} ms",
                      std::chrono::duration<double, std::milli>(*took).count());
}

}  // namespace millrace::stores
