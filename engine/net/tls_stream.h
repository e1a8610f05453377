#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/stream.h"
#include "net/tls_context.h"

namespace millrace::net {

/// TLS on any other stream, by OpenSSL on memory buffers.
///
/// `on_connected` comes after the handshake, once the peer is who it must be. A connection that
/// ends without TLS's own end is cut off, and not `kEndedByPeer`.
/// Threading: loop thread. Lifetime: owns the stream below.
class TlsStream final : public Stream, private StreamListener {
 public:
  struct Settings {
    base::Duration handshake_timeout{};  ///< from now, with the connecting of the stream below
    std::string peer_name = {};          ///< who the peer must be
    std::string where = {};              ///< for messages
  };

  TlsStream(loop::Loop& loop,
            base::Result<std::shared_ptr<const TlsContext>> context,
            Settings settings,
            StreamListener& listener);
  ~TlsStream() override;

  /// Who listens to the stream below, which is then given to `start`.
  [[nodiscard]] StreamListener& inner_listener() { return *this; }
  void start(std::unique_ptr<Stream> inner) { inner_ = std::move(inner); }

  void write(std::string bytes) override;
  [[nodiscard]] std::size_t unsent_bytes() const override;
  void close() override;

 private:
  static constexpr std::size_t kReadBytes = 16 * 1024;

  void on_connected() override;
  [[nodiscard]] std::span<char> read_space() override { return buffer_; }
  void on_read(std::size_t size) override;
  void on_closed(const base::Error& reason) override;
  void on_timer();

  /// Each is false when the stream is closed or gone afterwards.
  [[nodiscard]] bool shake_hands();
  [[nodiscard]] bool read_all();
  void encrypt(std::string bytes);
  void send();
  void fail(base::Error reason);
  void fail_later(base::Error reason);
  [[nodiscard]] base::Error handshake_error() const;
  /// Calls the listener; false when it closed or destroyed the stream.
  template <class Call>
  [[nodiscard]] bool tell(Call call);

  StreamListener& listener_;
  const Settings settings_;
  TlsContext::Ssl ssl_;
  std::unique_ptr<Stream> inner_;
  std::string waiting_;
  bool connected_ = false;
  bool closed_ = false;
  // Points at a local of the innermost call of the listener, to tell it that we are gone.
  bool* gone_ = nullptr;
  std::optional<base::Error> failure_;
  std::array<char, kReadBytes> buffer_;
  loop::OwnedTimer<TlsStream, &TlsStream::on_timer> timer_;
};

}  // namespace millrace::net
