#include "stores/embedded_driver.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/format.h"
#include "stores/embedded_client.h"

namespace millrace::stores {

base::Result<tasks::ConnectedClient> EmbeddedDriver::connect(const tasks::EndpointPlace& place,
                                                             const tasks::ClientServices&) {
  const std::string path = (std::filesystem::path(place.root) / place.endpoint.data_file).string();
  EmbeddedStoreRef store = stores_[path].lock();
  if (store == nullptr) {
    MR_TRY(store, EmbeddedStore::load(path));
    stores_[path] = store;
  }
  return tasks::ConnectedClient{.transport = {},
                                .client = std::make_unique<EmbeddedClient>(std::move(store))};
}

base::Result<std::string> EmbeddedDriver::probe(const tasks::EndpointPlace& place) {
  return base::format("embedded data {}", place.endpoint.data_file);
}

}  // namespace millrace::stores
