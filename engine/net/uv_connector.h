#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "loop/event_loop.h"
#include "net/address.h"
#include "net/stream.h"
#include "net/tls_context.h"

namespace millrace::net {

/// Opens TCP and unix sockets on an event loop, with TLS on them where asked. Names are looked up
/// on a thread of libuv; their addresses are tried one after the other. The files of TLS options
/// are read when these are first used. Threading: loop thread; made and destroyed anywhere.
/// Lifetime: borrows the loop. Its streams are destroyed on the loop thread before the loop stops.
class UvConnector final : public Connector {
 public:
  explicit UvConnector(loop::EventLoop& loop) : loop_(loop) {}

  [[nodiscard]] std::unique_ptr<Stream> connect(const Address& address,
                                                const ConnectOptions& options,
                                                StreamListener& listener) override;

  /// Reads the files of TLS options before they are needed, so that the loop need not.
  [[nodiscard]] base::Status prepare(const TlsOptions& options);

 private:
  [[nodiscard]] base::Result<std::shared_ptr<const TlsContext>> context_of(
      const TlsOptions& options);

  loop::EventLoop& loop_;
  // Few: one per endpoint. Owners: this and the streams.
  std::vector<std::shared_ptr<const TlsContext>> contexts_;
};

}  // namespace millrace::net
