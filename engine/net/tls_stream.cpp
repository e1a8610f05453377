#include "net/tls_stream.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "net/stream.h"
#include "net/tls_context.h"

namespace millrace::net {

using base::Error;
using base::ErrorCode;

TlsStream::TlsStream(loop::Loop& loop,
                     base::Result<std::shared_ptr<const TlsContext>> context,
                     Settings settings,
                     StreamListener& listener)
    : listener_(listener), settings_(std::move(settings)), timer_(loop, *this) {
  timer_.start(settings_.handshake_timeout);
  auto ssl = context ? (*context)->open(settings_.peer_name) : std::unexpected(context.error());
  if (ssl) {
    ssl_ = *std::move(ssl);
  } else {
    fail_later(ssl.error());
  }
}

TlsStream::~TlsStream() {
  close();
  if (gone_ != nullptr) *gone_ = true;
}

template <class Call>
bool TlsStream::tell(Call call) {
  bool gone = false;
  bool* const outer = std::exchange(gone_, &gone);
  call();
  if (gone) {
    if (outer != nullptr) *outer = true;
    return false;
  }
  gone_ = outer;
  return !closed_ && !failure_;
}

void TlsStream::on_connected() {
  if (failure_) return;
  (void)shake_hands();
}

void TlsStream::on_read(std::size_t size) {
  if (failure_) return;
  const int taken = BIO_write(SSL_get_rbio(ssl_.get()), buffer_.data(), static_cast<int>(size));
  MR_CHECK(taken == static_cast<int>(size), taken);
  if (!connected_ && !shake_hands()) return;
  if (connected_) (void)read_all();
}

bool TlsStream::shake_hands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  // A failed handshake too: it tells the peer why.
  send();
  if (result == 1) return begin_data();
  if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) return true;
  fail(handshake_error());
  return false;
}

bool TlsStream::begin_data() {
  connected_ = true;
  timer_.stop();
  if (!waiting_.empty()) encrypt(std::exchange(waiting_, {}));
  if (finishing_) end_output();
  // The handshake had to be read whatever the owner asked for.
  if (paused_) inner_->pause_reading();
  if (!tell([this] { listener_.on_connected(); })) return false;
  return tell_drained();
}

bool TlsStream::tell_drained() {
  if (!connected_ || !owes_drained_ || unsent_bytes() > 0) return true;
  owes_drained_ = false;
  return tell([this] { listener_.on_drained(); });
}

bool TlsStream::read_all() {
  while (!paused_ && !input_ended_) {
    const std::span<char> space = listener_.read_space();
    MR_CHECK(!space.empty());
    ERR_clear_error();
    const int capacity = static_cast<int>(std::min<std::size_t>(space.size(), INT_MAX));
    const int size = SSL_read(ssl_.get(), space.data(), capacity);
    if (size > 0) {
      if (!tell([&] { listener_.on_read(static_cast<std::size_t>(size)); })) return false;
      continue;
    }
    const int error = SSL_get_error(ssl_.get(), size);
    send();
    if (error == SSL_ERROR_WANT_READ) return true;
    if (error == SSL_ERROR_ZERO_RETURN) {
      input_ended_ = true;
      close_if_ended();
      return tell([this] { listener_.on_input_end(); });
    }
    fail(Error(ErrorCode::kUnavailable, "TLS broken: " + last_tls_error(), settings_.where));
    return false;
  }
  return true;
}

void TlsStream::on_input_end() {
  if (failure_) return;
  // What was decrypted but not yet delivered comes first; the peer's close_notify may be in it.
  if (connected_ && !read_all()) return;
  if (input_ended_) return;
  const char* const what = connected_ ? "Cut off: the peer closed without ending TLS"
                                      : "Closed by the peer during the TLS handshake";
  fail(Error(ErrorCode::kUnavailable, what, settings_.where));
}

void TlsStream::on_drained() {
  if (failure_) return;
  close_if_ended();
  (void)tell_drained();
}

void TlsStream::on_closed(const base::Status& status) {
  if (failure_) return;
  if (!status && !(input_ended_ && output_ended_)) return fail(status.error());
  close();
  listener_.on_closed({});
}

void TlsStream::write(std::string bytes) {
  if (closed_ || failure_ || finishing_ || bytes.empty()) return;
  if (connected_) {
    encrypt(std::move(bytes));
  } else {
    waiting_ += bytes;
  }
  if (unsent_bytes() > 0) owes_drained_ = true;
}

void TlsStream::finish() {
  if (closed_ || failure_ || std::exchange(finishing_, true)) return;
  if (connected_) end_output();
}

void TlsStream::end_output() {
  output_ended_ = true;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  send();
  inner_->finish();
  close_if_ended();
}

void TlsStream::close_if_ended() {
  // The peer need not end the stream below too: after close_notify it says nothing more.
  if (input_ended_ && output_ended_ && inner_->unsent_bytes() == 0) timer_.start({});
}

void TlsStream::pause_reading() {
  paused_ = true;
  if (connected_ && !closed_) inner_->pause_reading();
}

void TlsStream::resume_reading() {
  if (!std::exchange(paused_, false) || !connected_ || closed_ || failure_) return;
  inner_->resume_reading();
  // Delivers what was decrypted already, outside this call.
  timer_.start({});
}

void TlsStream::encrypt(std::string bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    std::size_t size = 0;
    ERR_clear_error();
    if (SSL_write_ex(ssl_.get(), bytes.data() + done, bytes.size() - done, &size) != 1) {
      return fail_later(
          Error(ErrorCode::kUnavailable, "TLS broken: " + last_tls_error(), settings_.where));
    }
    done += size;
  }
  send();
}

void TlsStream::send() {
  BIO* const out = SSL_get_wbio(ssl_.get());
  const std::size_t size = BIO_ctrl_pending(out);
  if (size == 0 || inner_ == nullptr) return;
  std::string bytes(size, '\0');
  const int taken = BIO_read(out, bytes.data(), static_cast<int>(size));
  MR_CHECK(taken == static_cast<int>(size), taken);
  inner_->write(std::move(bytes));
}

std::size_t TlsStream::unsent_bytes() const {
  return waiting_.size() + (inner_ == nullptr ? 0 : inner_->unsent_bytes());
}

void TlsStream::close() {
  if (std::exchange(closed_, true)) return;
  timer_.stop();
  waiting_.clear();
  if (inner_ == nullptr) return;
  if (connected_ && !failure_ && !output_ended_) {
    // Tells the peer that this end is intended; we do not wait for its answer.
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    send();
  }
  inner_->close();
}

void TlsStream::on_timer() {
  if (failure_) return fail(*std::exchange(failure_, std::nullopt));
  if (!connected_) {
    return fail(Error(ErrorCode::kTimeout, "Cannot connect in time", settings_.where));
  }
  if (!read_all()) return;
  if (!input_ended_ || !output_ended_ || inner_->unsent_bytes() > 0) return;
  close();
  listener_.on_closed({});
}

void TlsStream::fail(Error reason) {
  close();
  listener_.on_closed(std::unexpected(std::move(reason)));
}

void TlsStream::fail_later(Error reason) {
  failure_ = std::move(reason);
  timer_.start({});
}

Error TlsStream::handshake_error() const {
  const long verdict = SSL_get_verify_result(ssl_.get());  // NOLINT(google-runtime-int)
  const std::string reason = last_tls_error();
  if (verdict == X509_V_OK) {
    return {ErrorCode::kUnavailable, "TLS handshake failed: " + reason, settings_.where};
  }
  return {
      ErrorCode::kUnavailable,
      std::string("The peer's certificate is refused: ") + X509_verify_cert_error_string(verdict),
      settings_.where};
}

}  // namespace millrace::net
