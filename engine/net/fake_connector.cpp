#include "net/fake_connector.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "net/address.h"
#include "net/fake_peer.h"
#include "net/stream.h"

namespace millrace::net {

std::unique_ptr<Stream> FakeConnector::connect(const Address& address,
                                               const ConnectOptions& options,
                                               StreamListener& listener) {
  const auto peer =
      peers_.emplace_back(std::make_shared<FakePeer>(loop_, address, options, on_receive));
  auto stream = peer->open_stream(loop_, listener);
  if (on_connect) {
    on_connect(*peer);
  } else {
    peer->accept();
  }
  return stream;
}

std::size_t FakeConnector::open_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(peers_, [](const auto& peer) { return peer->is_open(); }));
}

}  // namespace millrace::net
