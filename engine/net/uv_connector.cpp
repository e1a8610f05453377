#include "net/uv_connector.h"

#include <memory>

#include "net/address.h"
#include "net/stream.h"
#include "net/uv_stream.h"

namespace millrace::net {

std::unique_ptr<Stream> UvConnector::connect(const Address& address,
                                             const ConnectOptions& options,
                                             StreamListener& listener) {
  auto stream = std::make_unique<UvStream>(loop_, listener);
  stream->connect(address, options);
  return stream;
}

}  // namespace millrace::net
