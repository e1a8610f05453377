#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics/metrics_registry.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/runtime.h"

namespace millrace::bridge {

/// A question to a running graph, or something that it shall do, as HTTP has it.
/// Lifetime: borrows.
struct AdminRequest {
  std::string_view method;
  std::string_view path;        ///< percent-encoded
  std::string_view query = {};  ///< the same
  std::string_view accept = {};
  std::string_view body = {};
  bool is_from_page = false;  ///< a web page sent it: it has an `Origin`
};

struct AdminReply {
  int status = 200;
  std::string_view content_type = "application/json";
  std::string body = {};
  std::string_view allow = {};  ///< methods that the path has, if the one used is not among them
};

/// Answers for one running graph: metrics, health, why, state tables, pause, resume, config, stop.
/// Knows nothing of sockets.
///
/// `GET /` lists the routes. Errors are JSON objects with `status`, `code` and `detail`.
/// Threading: any thread. Lifetime: borrows its parts.
class GraphAdmin {
 public:
  struct Parts {
    graph::Runtime& runtime;
    const graph::CompiledGraph& graph;
    const base::MetricsRegistry& metrics;
    std::function<void()> stop;  ///< requests the end of the run
    const base::Clock& clock = base::steady_clock();
  };
  explicit GraphAdmin(Parts parts);

  [[nodiscard]] AdminReply answer(const AdminRequest& request) const;
  /// Whether the answer may have to wait for an epoch in progress.
  [[nodiscard]] static bool may_wait(const AdminRequest& request);

 private:
  struct Route;
  [[nodiscard]] static std::string_view allowed_methods(std::string_view path);
  [[nodiscard]] AdminReply index() const;
  [[nodiscard]] AdminReply show_status() const;
  [[nodiscard]] AdminReply show_ready() const;
  [[nodiscard]] AdminReply show_health() const;
  [[nodiscard]] AdminReply show_metrics(const AdminRequest& request) const;
  [[nodiscard]] AdminReply show_values() const;
  [[nodiscard]] AdminReply show_why(const AdminRequest& request, std::string_view name) const;
  [[nodiscard]] AdminReply show_state(std::string_view table) const;
  [[nodiscard]] AdminReply change_config(std::string_view body) const;

  const Parts parts_;
  const base::TimePoint begin_;
};

}  // namespace millrace::bridge
