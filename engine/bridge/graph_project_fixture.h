#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bridge/graph_driver.h"
#include "bridge/graph_host.h"
#include "host/engine.h"
#include "host/extensions.h"
#include "host/host_fixture.h"
#include "host/project.h"
#include "host/waiting_call.h"
#include "rank/request.h"
#include "stores/embedded_driver.h"
#include "stores/store_tasks.h"

namespace millrace::bridge {

/// A folder with a registry and plans that read the tables of a graph, and the engine beside it.
class GraphProject {
 public:
  explicit GraphProject(const std::string& graph_text, const std::string& tables = "'t'") {
    std::filesystem::create_directories(folder_.path() + "/registry");
    std::filesystem::create_directories(folder_.path() + "/plans");
    folder_.write(
        "registry/keys.toml",
        "[keys.score]\ntype = 'float'\n[keys.label]\ntype = 'string'\n[keys.flag]\ntype = "
        "'bool'\n[keys.other]\ntype = 'float'\n");
    folder_.write("registry/params.toml", "");
    std::string endpoints;
    for (const char* const env : {"dev", "test", "prod"}) {
      endpoints += std::string("[") + env + ".g]\nkind = 'graph'\ntables = [" + tables + "]\n";
    }
    folder_.write("registry/endpoints.toml", endpoints);
    folder_.write("graph.yaml", graph_text);
  }

  void add_plan(const std::string& name, const std::string& nodes, const std::string& output) {
    folder_.write("plans/" + name + ".plan.json",
                  R"({"schema_version":1,"name":")" + name + R"(","nodes":[)" + nodes +
                      R"(],"outputs":[")" + output + R"("]})");
  }

  /// Loads the graph and starts the engine; gives what went wrong.
  std::string open(bool with_graph = true) {
    if (with_graph) {
      auto loaded = GraphHost::load(folder_.path() + "/graph.yaml");
      if (!loaded) return loaded.error().text;
      graph = *std::move(loaded);
      settings_.pins = &graph->tables();
    }
    settings_.root = folder_.path();
    settings_.cpu_threads = 1;
    settings_.loops = 1;
    host::Extensions extensions;
    extensions.tasks.push_back(&stores::register_store_tasks);
    extensions.drivers.push_back(std::make_unique<stores::EmbeddedDriver>());
    extensions.drivers.push_back(std::make_unique<GraphDriver>(
        graph == nullptr ? nullptr : &graph->tables(),
        [this] { return graph == nullptr ? std::nullopt : graph->problem(); }));
    auto project = host::Project::open(settings_, std::move(extensions));
    if (!project) return project.error().text;
    auto started =
        host::Engine::start(settings_, std::shared_ptr<const host::Project>(*std::move(project)));
    if (!started) return started.error().text;
    engine = *std::move(started);
    return {};
  }
  /// The same, and starts the graph.
  std::string start() {
    if (std::string problem = open(); !problem.empty()) return problem;
    auto started = graph->start(*engine, nullptr);
    return started ? "" : started.error().text;
  }

  std::string ask(const std::string& plan, const std::string& more = "") {
    host::WaitingCall call;
    rank::RequestReader reader;
    call.run(engine->ranker(0), reader, R"({"user_id":1,"plan":")" + plan + "\"" + more + "}");
    return call.response();
  }
  ~GraphProject() {
    if (graph != nullptr) graph->stop();
  }

  std::unique_ptr<GraphHost> graph;
  std::unique_ptr<host::Engine> engine;  // goes first

 private:
  host::testing::TempFolder folder_;
  host::Settings settings_;
};

}  // namespace millrace::bridge
