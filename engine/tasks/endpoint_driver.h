#pragma once

#include <memory>
#include <string>

#include "base/log/log.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "plan/registry/registry.h"
#include "tasks/endpoint_client.h"

namespace millrace::tasks {

/// Where a driver finds an endpoint. Lifetime: borrows both for the call.
struct EndpointPlace {
  const plan::EndpointInfo& endpoint;
  const std::string& root;  ///< folder that relative file names belong to
};

/// What a client works with. Lifetime: both outlive the client.
struct ClientServices {
  loop::EventLoop& loop;
  base::Logger* log = nullptr;  ///< hears of lost connections and the like; null: nobody does
};

/// A client and what it stands on.
struct ConnectedClient {
  /// Must live as long as the client; may be null. Its only owner is the code that holds the
  /// client.
  std::shared_ptr<void> transport;
  std::unique_ptr<EndpointClient> client;
};

/// What a process needs for one kind of endpoint: how to make clients, and how to test whether an
/// endpoint answers. A program registers one driver for each kind it supports.
/// Threading: one thread at a time.
class EndpointDriver {
 public:
  EndpointDriver() = default;
  virtual ~EndpointDriver() = default;
  EndpointDriver(const EndpointDriver&) = delete;
  EndpointDriver& operator=(const EndpointDriver&) = delete;

  [[nodiscard]] virtual plan::EndpointKind endpoint_kind() const = 0;
  [[nodiscard]] virtual ClientKind client_kind() const = 0;
  /// Makes the client that the services' loop uses for the endpoint; called once for each loop. The
  /// client is destroyed on the loop's thread.
  [[nodiscard]] virtual base::Result<ConnectedClient> connect(const EndpointPlace& place,
                                                              const ClientServices& services) = 0;
  /// Asks the endpoint as a client would. Gives what it answered, or an error whose message ends
  /// with what to do; both are for people. Blocks the caller.
  [[nodiscard]] virtual base::Result<std::string> probe(const EndpointPlace& place) = 0;
};

}  // namespace millrace::tasks
