#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "bridge/admin/graph_admin.h"
#include "loop/event_loop.h"
#include "net/address.h"
#include "net/http/connection_spreader.h"
#include "net/http/http_server.h"
#include "net/uv_listener.h"

namespace millrace::bridge {

struct GraphAdminOptions {
  std::string address;  ///< `unix:PATH` or `HOST:PORT`, port 0 takes a free one
  /// Whether it may be an address that other machines can reach. Whoever reaches it can stop the
  /// graph: nobody is asked for a key.
  bool is_anywhere_allowed = false;
};

/// Serves a `GraphAdmin` over HTTP/1.1 on a loop of its own. Answers that may have to wait for an
/// epoch come from a second thread, so that health and metrics are there meanwhile.
/// Threading: one thread makes and destroys it. Lifetime: borrows the admin.
class GraphAdminServer {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<GraphAdminServer>> start(
      const GraphAdmin& admin, const GraphAdminOptions& options);
  /// Answers what is under way and closes all connections.
  ~GraphAdminServer();
  GraphAdminServer(const GraphAdminServer&) = delete;
  GraphAdminServer& operator=(const GraphAdminServer&) = delete;

  /// Where it listens, with the port that was taken.
  [[nodiscard]] const net::Address& address() const { return address_; }

 private:
  class Exchange;
  class Handler;

  explicit GraphAdminServer(const GraphAdmin& admin);
  [[nodiscard]] base::Status listen(const net::Address& address);

  const GraphAdmin& admin_;
  net::Address address_;
  std::unique_ptr<loop::EventLoop> loop_;
  std::unique_ptr<loop::EventLoop> waiting_;  // a thread for answers that may wait
  // Loop thread only.
  std::unique_ptr<Handler> handler_;
  std::unique_ptr<net::HttpServer> http_;
  std::unique_ptr<net::ConnectionSpreader> spreader_;
  std::unique_ptr<net::UvListener> listener_;
};

}  // namespace millrace::bridge
