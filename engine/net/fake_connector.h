#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "loop/loop.h"
#include "net/address.h"
#include "net/fake_peer.h"
#include "net/stream.h"

namespace millrace::net {

/// Opens fake streams; the test plays the servers. Without a script each accepts at once and says
/// nothing.
/// Threading: as FakePeer. Lifetime: borrows the loop; keeps all peers.
class FakeConnector final : public Connector {
 public:
  explicit FakeConnector(loop::Loop& loop) : loop_(loop) {}

  /// Called when a stream is opened, instead of accepting it.
  FakePeer::Script on_connect;
  /// Called when bytes have arrived at a peer, or our side has ended; may answer.
  FakePeer::Script on_receive;

  [[nodiscard]] std::unique_ptr<Stream> connect(const Address& address,
                                                const ConnectOptions& options,
                                                StreamListener& listener) override;

  /// In the order of opening.
  [[nodiscard]] std::size_t peer_count() const { return peers_.size(); }
  [[nodiscard]] FakePeer& peer(std::size_t index) { return *peers_.at(index); }
  [[nodiscard]] std::size_t open_count() const;

 private:
  loop::Loop& loop_;
  // Owners: this, and the stream of the peer.
  std::vector<std::shared_ptr<FakePeer>> peers_;
};

}  // namespace millrace::net
