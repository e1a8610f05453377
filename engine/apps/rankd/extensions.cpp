#include "apps/rankd/extensions.h"

#include <memory>

#include "bridge/graph_driver.h"
#include "bridge/graph_host.h"
#include "stores/embedded_driver.h"
#include "stores/http/http_driver.h"
#include "stores/redis/redis_driver.h"
#include "stores/store_tasks.h"

namespace millrace::rankd {

host::Extensions rankd_extensions(const bridge::GraphHost* graph) {
  host::Extensions extensions;
  extensions.tasks.push_back(&stores::register_store_tasks);
  extensions.drivers.push_back(std::make_unique<stores::EmbeddedDriver>());
  extensions.drivers.push_back(std::make_unique<stores::RedisDriver>());
  extensions.drivers.push_back(std::make_unique<stores::HttpDriver>());
  if (graph == nullptr) {
    extensions.drivers.push_back(std::make_unique<bridge::GraphDriver>(nullptr));
  } else {
    extensions.drivers.push_back(std::make_unique<bridge::GraphDriver>(
        &graph->tables(), [graph] { return graph->problem(); }));
  }
  return extensions;
}

}  // namespace millrace::rankd
