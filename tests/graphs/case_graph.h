#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference_run.h"

namespace millrace::graph_reference {

/// A small graph, written in the flow style line by line, and how long to run it.
struct CaseGraph {
  std::string lanes = "  main: {type: event_loop}\n";
  std::string components = {};
  std::string edges = {};
  std::string loops = {};
  RunOptions options = {.until_idle = true};

  CaseGraph& lane(std::string_view text) {
    lanes += "  " + std::string(text) + "\n";
    return *this;
  }
  CaseGraph& component(std::string_view text) {
    components += "  - {" + std::string(text) + "}\n";
    return *this;
  }
  /// A `core.counter` that publishes 1 to `count`.
  CaseGraph& counter(std::string_view id, int count, int per_invocation = 1) {
    return component("id: " + std::string(id) + ", type: core.counter, config: {count: " +
                     std::to_string(count) + ", per_invocation: " + std::to_string(per_invocation) +
                     "}, execution: {lane: main}");
  }
  /// A `core.stdout` that any input triggers.
  CaseGraph& print(std::string_view id, std::string_view trigger = "type: any_input") {
    return component("id: " + std::string(id) + ", type: core.stdout, trigger_policy: {" +
                     std::string(trigger) + "}, execution: {lane: main}");
  }
  CaseGraph& edge(std::string_view id,
                  std::string_view from,
                  std::string_view to,
                  std::string_view rest = "kind: immediate, policy: {mode: queue, capacity: 8}") {
    edges += "  - {id: " + std::string(id) + ", from: " + std::string(from) +
             ".out, to: " + std::string(to) + ", " + std::string(rest) + "}\n";
    return *this;
  }
  CaseGraph& loop(std::string_view text) {
    loops += "  - {" + std::string(text) + "}\n";
    return *this;
  }
  CaseGraph& steps(std::int64_t count) {
    options = {.steps = count};
    return *this;
  }
  CaseGraph& until(std::chrono::milliseconds end) {
    options = {.duration = end};
    return *this;
  }

  [[nodiscard]] std::string yaml() const {
    const auto list = [](std::string_view name, const std::string& items) {
      return std::string(name) + (items.empty() ? ": []\n" : ":\n" + items);
    };
    return "schema_version: 1\ngraph: {name: case, kind: internal_test}\nlanes:\n" + lanes +
           list("components", components) + list("edges", edges) +
           (loops.empty() ? "" : list("composite_loops", loops));
  }
};

}  // namespace millrace::graph_reference
