#pragma once

#include <memory>

#include "net/address.h"
#include "net/stream.h"
#include "runtime/event_loop.h"

namespace millrace::net {

/// Opens TCP and unix sockets on an event loop. Names are looked up on a thread of libuv; their
/// addresses are tried one after the other.
/// Threading: loop thread; made and destroyed anywhere.
/// Lifetime: borrows the loop. Its streams are destroyed on the loop thread before the loop stops.
class UvConnector final : public Connector {
 public:
  explicit UvConnector(runtime::EventLoop& loop) : loop_(loop) {}

  [[nodiscard]] std::unique_ptr<Stream> connect(const Address& address,
                                                const ConnectOptions& options,
                                                StreamListener& listener) override;

 private:
  runtime::EventLoop& loop_;
};

}  // namespace millrace::net
