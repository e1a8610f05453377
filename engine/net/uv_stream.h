#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/socket.h>

#include "base/error.h"
#include "loop/event_loop.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/stream.h"

// Internal: made by UvConnector, and for connections that UvListener accepted.

namespace millrace::net {

class UvHandle;
struct UvLookup;

/// A TCP or unix socket on libuv.
///
/// States and their successors; every state may also go to closed:
/// - resolving: looks up the host name; then connecting
/// - connecting: tries one address after the other; then open
/// - adopted: waits one turn so that `on_connected` does not come inside `adopt`; then open
/// - open: reads and writes; `input_ended_` and `output_ended_` say which sides have ended
/// - closed
///
/// What a method of the owner finds out (a write that fails, the end of both sides) is told by the
/// timer, because no listener may be called inside such a method. Everything that libuv may still
/// touch lives in the handle or in the lookup, never here.
/// Threading: loop thread.
class UvStream final : public Stream {
 public:
  using Handle = UvHandle;

  UvStream(loop::EventLoop& loop, StreamListener& listener);
  ~UvStream() override;

  void connect(const Address& address, const ConnectOptions& options);
  /// Takes over the descriptor of an accepted connection; `peer` is for messages.
  void adopt(Descriptor descriptor, bool is_unix, std::string peer);

  void write(std::string bytes) override;
  [[nodiscard]] std::size_t unsent_bytes() const override;
  void finish() override;
  void pause_reading() override;
  void resume_reading() override;
  void close() override;

  /// What libuv calls.
  void on_resolved(int status, const void* found);
  void on_connect(int status);
  void on_written(int status);
  void on_read(std::ptrdiff_t size);
  [[nodiscard]] std::span<char> read_space() { return listener_.read_space(); }

 private:
  enum class Phase : std::uint8_t { kResolving, kConnecting, kAdopted, kOpen, kClosed };

  void resolve();
  void connect_unix();
  void connect_next(int last_error);
  /// The connection is there: sends what waited, reads, and tells the listener.
  void open();
  /// Makes libuv read exactly when the stream is open, not paused, and the peer has not ended.
  [[nodiscard]] int update_reading();
  void send_queue();
  /// Tells the peer that no more bytes come.
  void end_output();
  void drop_handle();
  void on_timer();
  /// Closes and tells the listener, which may destroy the stream: call it last.
  void fail(base::Error reason);
  /// The same in a later turn, for methods that the owner calls.
  void fail_later(base::Error reason);
  [[nodiscard]] base::Error error(const char* what, int uv_error) const;

  loop::EventLoop& loop_;
  StreamListener& listener_;
  Address address_;
  std::string peer_;
  ConnectOptions options_;
  Phase phase_ = Phase::kResolving;
  UvLookup* lookup_ = nullptr;
  Handle* handle_ = nullptr;
  std::vector<sockaddr_storage> targets_;
  std::size_t next_target_ = 0;
  // Bytes that wait for the connection, or for the kernel to take what is being written.
  std::vector<std::string> queue_;
  std::size_t queue_bytes_ = 0;
  bool writing_ = false;
  bool finishing_ = false;
  bool paused_ = false;
  bool reading_ = false;  // what libuv was told last
  bool input_ended_ = false;
  bool output_ended_ = false;
  std::optional<base::Error> failure_;
  loop::OwnedTimer<UvStream, &UvStream::on_timer> timer_;
};

}  // namespace millrace::net
