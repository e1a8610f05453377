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
  // Even a failed handshake has something to say: the alert.
  send();
  if (result == 1) {
    connected_ = true;
    timer_.stop();
    if (!waiting_.empty()) encrypt(std::exchange(waiting_, {}));
    return tell([this] { listener_.on_connected(); });
  }
  if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) return true;
  fail(handshake_error());
  return false;
}

bool TlsStream::read_all() {
  while (true) {
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
      fail(Error(ErrorCode::kUnavailable, std::string(kEndedByPeer), settings_.where));
    } else {
      fail(Error(ErrorCode::kUnavailable, "TLS broken: " + last_tls_error(), settings_.where));
    }
    return false;
  }
}

void TlsStream::on_closed(const Error& reason) {
  if (failure_) return;
  if (reason.message() != kEndedByPeer) return fail(reason);
  const char* const what = connected_ ? "Cut off: the peer closed without ending TLS"
                                      : "Closed by the peer during the TLS handshake";
  fail(Error(ErrorCode::kUnavailable, what, settings_.where));
}

void TlsStream::write(std::string bytes) {
  if (closed_ || failure_ || bytes.empty()) return;
  if (connected_) return encrypt(std::move(bytes));
  waiting_ += bytes;
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
  if (connected_ && !failure_) {
    // Says that this end is meant; nobody waits for an answer.
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    send();
  }
  inner_->close();
}

void TlsStream::on_timer() {
  if (failure_) return fail(*std::exchange(failure_, std::nullopt));
  fail(Error(ErrorCode::kTimeout, "Cannot connect in time", settings_.where));
}

void TlsStream::fail(Error reason) {
  close();
  listener_.on_closed(reason);
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
