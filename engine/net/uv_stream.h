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
#include "net/stream.h"

// Internal: made by UvConnector and UvListener.

namespace millrace::net {

template <class Owner>
class UvHandle;
struct UvLookup;

/// A TCP or unix socket on libuv.
///
/// resolving ─► connecting (address after address) ─► open ─► closed; any of them ─► closed.
/// Whatever fails inside a call of ours is told by the timer, so that no listener is called inside
/// one. Everything that libuv may still touch lives in the handle or the lookup, never here.
/// Threading: loop thread.
class UvStream final : public Stream {
 public:
  using Handle = UvHandle<UvStream>;

  UvStream(loop::EventLoop& loop, StreamListener& listener);
  ~UvStream() override;

  void connect(const Address& address, const ConnectOptions& options);
  /// Takes over an accepted handle.
  void adopt(Handle& handle, std::string peer);

  void write(std::string bytes) override;
  [[nodiscard]] std::size_t unsent_bytes() const override;
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
  void start_reading();
  void send_queue();
  void drop_handle();
  void on_timer();
  /// Closes and tells the listener now; the last thing a callback does.
  void fail(base::Error reason);
  /// The same soon, for calls that come from the owner.
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
  /// Waits for the connection, or for the kernel to take what is being written.
  std::vector<std::string> queue_;
  std::size_t queue_bytes_ = 0;
  bool writing_ = false;
  std::optional<base::Error> failure_;
  loop::OwnedTimer<UvStream, &UvStream::on_timer> timer_;
};

}  // namespace millrace::net
