#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "net/stream.h"

// Streams without sockets, for tests and the simulator: the test plays the peers.

namespace millrace::net {

class FakeStream;

/// The peer's end of one fake connection. What it does reaches the listener in order, from timers
/// of the loop: when the loop next runs, or after a delay, in virtual time.
/// Threading: loop thread, or the owner of a FakeLoop while that does not run.
class FakePeer : public std::enable_shared_from_this<FakePeer> {
 public:
  using Script = std::function<void(FakePeer&)>;

  /// `on_receive` is called when bytes have arrived here, and when our side has ended; it may be
  /// empty, and may be set later.
  FakePeer(loop::Loop& loop, Address address, ConnectOptions options, const Script& on_receive);
  ~FakePeer();
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;

  /// Accepts a connection that was opened from here.
  void accept(base::Duration after = {});
  /// Refuses it.
  void refuse(base::Duration after = {});
  /// Sends bytes; they arrive in one piece if the listener has the space.
  void deliver(std::string bytes, base::Duration after = {});
  /// The same in pieces of `size` bytes, each a read of its own.
  void deliver_split(const std::string& bytes, std::size_t size, base::Duration after = {});
  /// Ends the peer's side in good order; it still receives.
  void half_close(base::Duration after = {});
  /// Breaks the connection.
  void reset(base::Duration after = {});
  /// True: from now on bytes written to the stream stay unsent. False: those that wait arrive here.
  void stall_writes(bool stalled);

  /// All that has arrived here, in order.
  [[nodiscard]] const std::string& received() const { return received_; }
  [[nodiscard]] std::string take_received() { return std::exchange(received_, {}); }
  /// Whether the stream has ended its side, after all it sent.
  [[nodiscard]] bool saw_end() const { return saw_end_; }
  /// How many writes brought the bytes; those that waited for the connection count as one.
  [[nodiscard]] std::size_t write_count() const { return write_count_; }
  /// False once the stream has closed, or was closed.
  [[nodiscard]] bool is_open() const { return stage_ != Stage::kClosed; }
  [[nodiscard]] bool is_connected() const { return is_open() && connected_; }
  [[nodiscard]] const Address& address() const { return address_; }
  [[nodiscard]] const ConnectOptions& options() const { return options_; }

  /// Makes the stream of this connection, on `loop`. Once.
  [[nodiscard]] std::unique_ptr<Stream> open_stream(loop::Loop& loop, StreamListener& listener);
  /// Closes a connection whose stream nobody made.
  void drop();

 private:
  friend class FakeStream;

  enum class Stage : std::uint8_t { kWithoutStream, kWithStream, kClosed };
  enum class Kind : std::uint8_t { kAccept, kRefuse, kBytes, kEnd, kReset };
  struct Event {
    Kind kind;
    base::TimePoint when;
    std::string bytes;
  };
  void on_event();
  void on_connect_timeout();
  void on_notice();
  struct Timers {
    Timers(loop::Loop& loop, FakePeer& peer)
        : event(loop, peer), connect(loop, peer), notice(loop, peer) {}
    loop::OwnedTimer<FakePeer, &FakePeer::on_event> event;
    loop::OwnedTimer<FakePeer, &FakePeer::on_connect_timeout> connect;
    loop::OwnedTimer<FakePeer, &FakePeer::on_notice> notice;
  };

  void push(Kind kind, std::string bytes, base::Duration after);
  void arm();
  void play_bytes(std::string bytes);
  void play_end();
  void write(std::string bytes);
  void finish();
  void set_paused(bool paused);
  void flush();
  void close_with(const base::Status& status);
  void detach();
  [[nodiscard]] base::Status broken(base::ErrorCode code, std::string_view message) const;

  loop::Loop* loop_;
  const Address address_;
  const ConnectOptions options_;
  const Script* on_receive_;
  Stage stage_ = Stage::kWithoutStream;
  StreamListener* listener_ = nullptr;  // of the stream, while there is one
  bool connected_ = false;
  bool stalled_ = false;
  bool paused_ = false;
  bool finishing_ = false;
  bool saw_end_ = false;
  bool input_ended_ = false;
  bool owes_drained_ = false;
  std::deque<Event> events_;
  std::string unsent_;
  std::string received_;
  std::size_t write_count_ = 0;
  std::optional<Timers> timers_;  // while there is a stream
};

}  // namespace millrace::net
