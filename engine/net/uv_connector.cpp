#include "net/uv_connector.h"

#include <memory>
#include <utility>

#include "base/result.h"
#include "net/address.h"
#include "net/stream.h"
#include "net/tls_context.h"
#include "net/tls_stream.h"
#include "net/uv_stream.h"

namespace millrace::net {

std::unique_ptr<Stream> UvConnector::connect(const Address& address,
                                             const ConnectOptions& options,
                                             StreamListener& listener) {
  if (!options.tls) {
    auto stream = std::make_unique<UvStream>(loop_, listener);
    stream->connect(address, options);
    return stream;
  }
  auto stream = std::make_unique<TlsStream>(
      loop_,
      context_of(*options.tls),
      TlsStream::Settings{.handshake_timeout = options.connect_timeout,
                          .peer_name = address.is_unix() ? std::string() : address.host,
                          .where = to_string(address)},
      listener);
  auto inner = std::make_unique<UvStream>(loop_, stream->inner_listener());
  inner->connect(address, options);
  stream->start(std::move(inner));
  return stream;
}

base::Status UvConnector::prepare(const TlsOptions& options) {
  MR_TRY_STATUS(context_of(options));
  return {};
}

base::Result<std::shared_ptr<const TlsContext>> UvConnector::context_of(const TlsOptions& options) {
  for (const auto& context : contexts_) {
    if (context->options() == options) return context;
  }
  MR_TRY(auto context, TlsContext::make(options, TlsRole::kClient));
  return contexts_.emplace_back(std::move(context));
}

}  // namespace millrace::net
