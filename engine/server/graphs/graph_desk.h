#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace millrace::server {

/// Who tells about the graph that runs in the process.
/// Threading: any thread.
class GraphDesk {
 public:
  virtual ~GraphDesk() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual bool has_component(std::string_view id) const = 0;
  /// Why the graph has failed; nothing if it has not. Does not wait for the graph.
  [[nodiscard]] virtual std::optional<std::string> problem() const = 0;

  /// Ends the graph in order, after the last request and before the engine goes. Threading: that of
  /// the server's owner.
  virtual void stop() = 0;

  // Pages, as JSON. They may wait for the graph, so workers make them.

  /// One object: name, state and epochs.
  [[nodiscard]] virtual std::string summary() const = 0;
  /// Plan, epochs, lanes, health events and tables.
  [[nodiscard]] virtual std::string page() const = 0;
  /// Why a component ran, or did not. It must be one of the graph's.
  [[nodiscard]] virtual std::string why(std::string_view component) const = 0;
};

}  // namespace millrace::server
