#include "apps/rankd/graph_run.h"

#include <expected>
#include <memory>
#include <string>

namespace millrace::rankd {

std::expected<std::unique_ptr<bridge::GraphHost>, host::StartError> load_graph(
    const std::string& file, host::Settings& settings) {
  if (file.empty()) return nullptr;
  auto graph = bridge::GraphHost::load(file);
  if (graph) settings.pins = &(*graph)->tables();
  return graph;
}

}  // namespace millrace::rankd
