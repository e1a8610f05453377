#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "net/address.h"

namespace millrace::net {

/// How a connection is encrypted. File names are of PEM files.
struct TlsOptions {
  std::string ca_file = {};           ///< whom to trust; the system's authorities if empty
  std::string certificate_file = {};  ///< what we show; nothing if empty
  std::string key_file = {};          ///< its private key
  std::string server_name = {};       ///< who the peer must be; the host of the address if empty
  bool verify = true;                 ///< refuse peers whose certificate does not prove it
  /// What is spoken on top, such as `http/1.1`; nothing is said of it if empty. A server refuses
  /// clients that offer only others, and takes those that offer none.
  std::string protocol = {};

  friend bool operator==(const TlsOptions&, const TlsOptions&) = default;
};

struct ConnectOptions {
  /// From `connect` to `on_connected`, with name lookup and TLS handshake.
  base::Duration connect_timeout = std::chrono::seconds(5);
  std::optional<TlsOptions> tls = {};
  bool no_delay = true;
  bool keep_alive = true;
};

/// The message of errors that owners make of `on_input_end`, where the end of the peer's side ends
/// what they do.
inline constexpr std::string_view kEndedByPeer = "Closed by the peer";

/// What a stream tells its owner. Each call but `read_space` may use the stream in any way, `close`
/// and destroying it included.
/// Threading: loop thread. Never called inside `connect` or a method of the stream.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  /// Called once, before any other call but `on_closed`.
  virtual void on_connected() = 0;
  /// Says where the next bytes go, at least one; asked before each read. Valid until `on_read` or
  /// the next `read_space`.
  [[nodiscard]] virtual std::span<char> read_space() = 0;
  /// That many bytes, at least one, are in the span given last.
  virtual void on_read(std::size_t size) = 0;
  /// Called at most once, after all bytes of the peer: the peer has ended its side in good order.
  /// The stream stays open for writing. An owner that has nothing more to say calls `finish` or
  /// `close`.
  virtual void on_input_end() = 0;
  /// Bytes had to wait in the stream, and now all of them have left: `unsent_bytes` is 0 again.
  virtual void on_drained() {}
  /// Called last: the stream is closed. `status` is ok if both sides have ended in good order. Else
  /// it says why: kTimeout when connecting took too long, kUnavailable when connecting failed or
  /// the connection broke. Not called after `close`.
  virtual void on_closed(const base::Status& status) = 0;
};

/// A two-way stream of bytes: TCP, a unix socket, TLS on either, or a fake in virtual time. Each
/// side ends its own direction; the other one stays open until its sender ends it too.
/// Threading: loop thread.
/// Lifetime: borrows its listener, its loop and its connector.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// Closes. No call of the listener happens afterwards.
  virtual ~Stream() = default;

  /// Sends `bytes` after those of earlier calls: what the kernel takes leaves inside the call, the
  /// rest when it takes more. Bytes written before `on_connected` wait for it. Does nothing after
  /// `finish` and once closed. The caller bounds `unsent_bytes`.
  virtual void write(std::string bytes) = 0;

  /// Bytes given to `write` that have not left yet.
  [[nodiscard]] virtual std::size_t unsent_bytes() const = 0;

  /// Ends our side: sends what is unsent, then tells the peer that no more comes. Reading goes on.
  /// A second call does nothing.
  virtual void finish() = 0;

  /// Until `resume_reading` neither `on_read` nor `on_input_end` comes, and the peer is slowed down
  /// once the kernel's buffers are full. A connection that breaks meanwhile may go unnoticed until
  /// the next write or `resume_reading`. May be called before `on_connected`.
  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;

  /// Aborts: ends both directions at once; what is unsent is lost. A second call does nothing.
  virtual void close() = 0;
};

/// Opens streams; the seam for fakes and the simulator.
/// Threading: loop thread.
class Connector {
 public:
  Connector() = default;
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;
  virtual ~Connector() = default;

  /// Never fails at once: refusal, failing name lookup and timeout arrive as `on_closed`.
  [[nodiscard]] virtual std::unique_ptr<Stream> connect(const Address& address,
                                                        const ConnectOptions& options,
                                                        StreamListener& listener) = 0;
};

}  // namespace millrace::net
