#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "net/stream.h"

// Streams without sockets, for tests and the simulator: the test plays the peers.

namespace millrace::net {

class FakeStream;

/// The peer's end of one fake connection. What it does reaches the listener in order, from a timer
/// of the loop: at once when the loop next runs, or after a delay, in virtual time.
/// Threading: loop thread, or the owner of a FakeLoop while that does not run.
class FakePeer {
 public:
  FakePeer(loop::Loop& loop, Address address, ConnectOptions options);
  ~FakePeer();
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;

  void accept(base::Duration after = {});
  void refuse(base::Duration after = {});
  /// Sends bytes; they arrive in one piece if the listener has the space.
  void deliver(std::string bytes, base::Duration after = {});
  /// The same in pieces of `size` bytes, each a read of its own.
  void deliver_split(const std::string& bytes, std::size_t size, base::Duration after = {});
  /// Ends the peer's side in good order; the listener is told as by a real stream.
  void half_close(base::Duration after = {});
  /// Breaks the connection.
  void reset(base::Duration after = {});
  /// From now on the kernel takes no bytes (true), or takes all that wait (false).
  void stall_writes(bool stalled);

  /// All that has arrived here, in order.
  [[nodiscard]] const std::string& received() const { return received_; }
  [[nodiscard]] std::string take_received() { return std::exchange(received_, {}); }
  /// How many writes it came in; bytes that waited for the connection are one.
  [[nodiscard]] std::size_t write_count() const { return write_count_; }
  /// Is false once we closed, or were closed.
  [[nodiscard]] bool is_open() const { return stream_ != nullptr; }
  [[nodiscard]] bool is_connected() const { return is_open() && connected_; }
  [[nodiscard]] const Address& address() const { return address_; }
  [[nodiscard]] const ConnectOptions& options() const { return options_; }

 private:
  friend class FakeStream;
  friend class FakeConnector;

  enum class Kind : std::uint8_t { kAccept, kRefuse, kBytes, kEnd, kReset };
  struct Event {
    Kind kind;
    base::TimePoint when;
    std::string bytes;
  };

  void push(Kind kind, std::string bytes, base::Duration after);
  void arm();
  void play_next();
  void on_connect_timeout();
  void play_bytes(std::string bytes);
  void flush();
  void end(base::ErrorCode code, std::string_view message);
  void detach();

  loop::Loop& loop_;
  const Address address_;
  const ConnectOptions options_;
  FakeStream* stream_ = nullptr;
  bool connected_ = false;
  bool stalled_ = false;
  std::deque<Event> events_;
  std::string unsent_;
  std::string received_;
  std::size_t write_count_ = 0;
  // The connector's, as it is when bytes arrive.
  const std::function<void(FakePeer&)>* on_receive_ = nullptr;
  loop::OwnedTimer<FakePeer, &FakePeer::play_next> event_timer_;
  loop::OwnedTimer<FakePeer, &FakePeer::on_connect_timeout> connect_timer_;
};

/// Opens fake streams. Without a script each accepts at once and says nothing.
/// Threading: as FakePeer. Lifetime: borrows the loop; keeps all peers.
class FakeConnector final : public Connector {
 public:
  explicit FakeConnector(loop::Loop& loop) : loop_(loop) {}

  /// Called when a stream is opened, instead of accepting it.
  std::function<void(FakePeer&)> on_connect;
  /// Called when bytes have arrived at a peer; may answer.
  std::function<void(FakePeer&)> on_receive;

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
