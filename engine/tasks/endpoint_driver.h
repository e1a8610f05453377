#pragma once

#include <memory>
#include <string>

#include "base/log/log.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "plan/registry/registry.h"
#include "tasks/endpoint_client.h"

namespace millrace::tasks {

/// Where an endpoint is, for a driver. Lifetime: borrows both for the call.
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
  /// Kept until the client is gone; may be null. The only owner is whoever holds the client.
  std::shared_ptr<void> transport;
  std::unique_ptr<EndpointClient> client;
};

/// What a process needs to know of one kind of endpoint: how to make its clients, and how to ask
/// whether it answers. A program registers one for each kind it supports.
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
