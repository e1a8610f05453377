#pragma once

#include <expected>
#include <memory>
#include <string>

#include "bridge/graph_host.h"
#include "host/engine.h"
#include "host/settings.h"

namespace millrace::rankd {

/// Reads and checks the file of `--graph`; null if it is empty. To be called before the engine
/// starts. `settings` then gives requests its tables.
[[nodiscard]] std::expected<std::unique_ptr<bridge::GraphHost>, host::StartError> load_graph(
    const std::string& file, host::Settings& settings);

/// Runs a graph as long as this lives, which is within the life of the engine.
class GraphRun {
 public:
  /// `graph` may be null: then there is nothing to run.
  explicit GraphRun(bridge::GraphHost* graph) : graph_(graph) {}
  ~GraphRun() {
    if (graph_ != nullptr) graph_->stop();
  }
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;

  [[nodiscard]] std::expected<void, host::StartError> start(host::Engine& engine,
                                                            base::Logger* log) {
    return graph_ == nullptr ? std::expected<void, host::StartError>() : graph_->start(engine, log);
  }

 private:
  bridge::GraphHost* const graph_;
};

}  // namespace millrace::rankd
