#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "net/fake_peer.h"
#include "net/listener.h"

namespace millrace::net {

/// A listener without sockets: the test plays the clients. Each client is the peer of a fake stream
/// and may talk before the server has adopted its connection.
/// Threading: as FakePeer. Lifetime: borrows the loop and the acceptor; keeps all clients.
class FakeListener final : public Listener {
 public:
  FakeListener(loop::Loop& loop, Acceptor& acceptor, Address address = {.host = "fake", .port = 1});
  ~FakeListener() override;

  /// Called when bytes have arrived at a client, or the server has ended its side; may go on.
  FakePeer::Script on_receive;

  /// A client connects: it waits in the backlog until the loop runs. A closed listener refuses it:
  /// then the client is not open.
  FakePeer& connect();
  /// The system refuses to accept for this reason, as when no descriptor is left, until
  /// `resume` is called.
  void fail_accept(base::Error reason);

  /// Refuses those in the backlog and everybody who comes later, as destroying it does. Clients
  /// whose connections were accepted go on.
  void close();

  /// In the order of connecting.
  [[nodiscard]] std::size_t client_count() const { return clients_.size(); }
  [[nodiscard]] FakePeer& client(std::size_t index) { return *clients_.at(index); }
  [[nodiscard]] std::size_t backlog_count() const { return backlog_.size(); }

  [[nodiscard]] const Address& address() const override { return address_; }
  void pause() override { paused_ = true; }
  void resume() override;
  void close_after_backlog() override;

 private:
  void on_timer();

  loop::Loop& loop_;
  Acceptor& acceptor_;
  const Address address_;
  // Owners: this, the backlog, and what was made of the connection.
  std::vector<std::shared_ptr<FakePeer>> clients_;
  std::deque<std::shared_ptr<FakePeer>> backlog_;
  std::optional<base::Error> accept_error_;
  bool paused_ = false;
  bool closing_ = false;
  bool closed_ = false;
  loop::OwnedTimer<FakeListener, &FakeListener::on_timer> timer_;
};

}  // namespace millrace::net
