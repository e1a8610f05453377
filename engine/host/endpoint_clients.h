#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metrics_registry.h"
#include "host/project.h"
#include "host/settings.h"
#include "loop/event_loop.h"
#include "rank/services.h"
#include "stores/store_client.h"
#include "tasks/endpoint_client.h"

namespace millrace::host {

/// A file as far as one can see without reading it. Files that were replaced or written to differ.
struct FileStamp {
  std::int64_t modified_ns = 0;
  std::int64_t bytes = -1;  ///< -1: there is no such file
  std::uint64_t inode = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
[[nodiscard]] FileStamp stamp_of(const std::string& path);

/// What one reading of a project stands on: its registry and tasks, and on every loop a client for
/// each endpoint. Plans that were compiled against the registry run with these clients.
///
/// Endpoints that did not change keep their clients when a project is read again: both readings
/// share them.
/// Threading: made and destroyed by one thread outside the loops, which it waits for; else any
/// thread may read it.
/// Lifetime: outlives the plans that use it; loops and metrics outlive it.
class EndpointClients {
 public:
  struct Parts {
    std::shared_ptr<const Project> project;  ///< owners: all that was made from it
    std::vector<loop::EventLoop*> loops = {};
    base::MetricsRegistry* metrics = nullptr;
    base::Logger* log = nullptr;
  };
  /// `before` is an earlier reading whose clients may be used again; may be null.
  [[nodiscard]] static std::expected<std::shared_ptr<EndpointClients>, StartError> connect(
      Parts parts, const EndpointClients* before = nullptr);
  ~EndpointClients();
  EndpointClients(const EndpointClients&) = delete;
  EndpointClients& operator=(const EndpointClients&) = delete;

  [[nodiscard]] const Project& project() const { return *parts_.project; }
  [[nodiscard]] std::size_t loop_count() const { return loops_.size(); }
  /// By endpoint.
  [[nodiscard]] std::span<const tasks::ClientKind> kinds() const { return kinds_; }
  [[nodiscard]] std::span<tasks::EndpointClient* const> clients(std::size_t loop) const {
    return loops_[loop].refs;
  }
  /// What requests on a loop run on; filled once, by the engine.
  [[nodiscard]] rank::LoopServices& services(std::size_t loop) { return loops_[loop].services; }
  /// The same for requests of the process itself, which nothing refuses.
  [[nodiscard]] rank::LoopServices& own_services(std::size_t loop) {
    return loops_[loop].own_services;
  }
  /// How many clients of each loop were taken over from the reading before.
  [[nodiscard]] std::size_t shared_count() const { return shared_count_; }
  /// Whether a file that an endpoint reads differs from what it was when this was made.
  [[nodiscard]] bool has_stale_file() const;
  /// The sum of the counters of all store clients.
  [[nodiscard]] stores::StoreCounters store_counters() const;

 private:
  // Owners: the readings of the project that use it. Destroyed on its loop.
  struct LoopClient {
    std::shared_ptr<void> transport;
    std::unique_ptr<tasks::EndpointClient> client;
    std::unique_ptr<base::MetricBinding> metrics;  // goes first
  };
  struct PerLoop {
    loop::EventLoop* loop = nullptr;
    std::vector<std::shared_ptr<LoopClient>> clients = {};  // by endpoint
    std::vector<tasks::EndpointClient*> refs = {};
    rank::LoopServices services = {};
    rank::LoopServices own_services = {};
  };

  explicit EndpointClients(Parts parts);
  [[nodiscard]] std::expected<void, StartError> connect_endpoint(std::size_t endpoint,
                                                                 const EndpointClients* before);
  [[nodiscard]] std::vector<FileStamp> stamps_of(const plan::EndpointInfo& endpoint) const;

  const Parts parts_;
  std::vector<tasks::ClientKind> kinds_;
  std::vector<std::vector<FileStamp>> stamps_;  // of the files of each endpoint
  std::vector<PerLoop> loops_;
  std::size_t shared_count_ = 0;
};

}  // namespace millrace::host
