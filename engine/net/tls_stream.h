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
/// `on_connected` comes after the handshake, once the peer has proven who it is.
///
/// Each side ends its direction with TLS's own message, close_notify, and then with that of the
/// stream below; what the other side still sends is read. A connection whose peer ends it without
/// close_notify was cut off, which is an error. TLS 1.2 asks a peer that receives close_notify to
/// stop sending, so there an answer after `finish` comes only from peers that are as patient as we
/// are; TLS 1.3 allows it.
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
  void finish() override;
  void pause_reading() override;
  void resume_reading() override;
  void close() override;

 private:
  static constexpr std::size_t kReadBytes = 16 * 1024;

  void on_connected() override;
  [[nodiscard]] std::span<char> read_space() override { return buffer_; }
  void on_read(std::size_t size) override;
  void on_input_end() override;
  void on_drained() override;
  void on_closed(const base::Status& status) override;
  void on_timer();

  /// Each is false when the stream is closed or destroyed afterwards.
  [[nodiscard]] bool shake_hands();
  [[nodiscard]] bool begin_data();
  [[nodiscard]] bool read_all();
  [[nodiscard]] bool tell_drained();
  void encrypt(std::string bytes);
  /// Sends close_notify, then ends the stream below.
  void end_output();
  /// Makes the timer close the stream once both sides have ended and all bytes have left.
  void close_if_ended();
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
  bool paused_ = false;
  bool finishing_ = false;
  bool input_ended_ = false;   // the peer's close_notify has come
  bool output_ended_ = false;  // ours is sent
  bool owes_drained_ = false;  // bytes of the owner had to wait
  // Points at a variable of the innermost `tell`, which learns from it that the stream was
  // destroyed.
  bool* gone_ = nullptr;
  std::optional<base::Error> failure_;
  std::array<char, kReadBytes> buffer_;
  loop::OwnedTimer<TlsStream, &TlsStream::on_timer> timer_;
};

}  // namespace millrace::net
