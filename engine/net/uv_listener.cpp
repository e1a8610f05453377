#include "net/uv_listener.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/uv_loop.h"
#include "net/address.h"
#include "net/stream.h"
#include "net/tls_context.h"
#include "net/tls_stream.h"
#include "net/uv_handle.h"
#include "net/uv_stream.h"

namespace millrace::net {
namespace {

constexpr const char* kPeer = "an incoming connection";

void incoming(uv_stream_t* server, int status) {
  auto& handle = UvHandle<UvListener>::of(server);
  if (handle.owner != nullptr) handle.owner->on_connection(status);
}

}  // namespace

Incoming::Incoming(loop::EventLoop& loop,
                   UvHandle<UvStream>& handle,
                   std::shared_ptr<const TlsContext> tls)
    : loop_(loop), handle_(&handle), tls_(std::move(tls)) {}

Incoming::~Incoming() {
  if (handle_ != nullptr) handle_->close();
}

std::unique_ptr<Stream> Incoming::take(StreamListener& listener) {
  MR_CHECK(handle_ != nullptr);
  UvHandle<UvStream>& handle = *std::exchange(handle_, nullptr);
  if (tls_ == nullptr) {
    auto stream = std::make_unique<UvStream>(loop_, listener);
    stream->adopt(handle, kPeer);
    return stream;
  }
  auto stream = std::make_unique<TlsStream>(
      loop_,
      tls_,
      TlsStream::Settings{.handshake_timeout = UvListener::kHandshakeTimeout, .where = kPeer},
      listener);
  auto inner = std::make_unique<UvStream>(loop_, stream->inner_listener());
  inner->adopt(handle, kPeer);
  stream->start(std::move(inner));
  return stream;
}

base::Result<std::unique_ptr<UvListener>> UvListener::listen(loop::EventLoop& loop,
                                                             const Address& address,
                                                             Acceptor& acceptor,
                                                             const std::optional<TlsOptions>& tls) {
  loop.thread().assert_current();
  std::unique_ptr<UvListener> listener(new UvListener(loop, address, acceptor));
  if (tls) {
    MR_TRY(listener->tls_, TlsContext::make(*tls, TlsRole::kServer));
  }
  const int result = listener->open();
  if (result == 0) return listener;
  return base::fail(base::ErrorCode::kUnavailable,
                    std::string("Cannot listen: ") + uv_strerror(result),
                    to_string(address));
}

UvListener::UvListener(loop::EventLoop& loop, Address address, Acceptor& acceptor)
    : loop_(loop), acceptor_(acceptor), address_(std::move(address)) {}

UvListener::~UvListener() {
  if (handle_ != nullptr) handle_->close();
}

int UvListener::open() {
  loop_.thread().assert_current();
  int result = 0;
  handle_ = UvHandle<UvListener>::open(loop_.uv().loop, address_.is_unix(), this, result);
  if (handle_ == nullptr) return result;
  result =
      address_.is_unix() ? uv_pipe_bind(handle_->pipe(), address_.unix_path.c_str()) : bind_tcp();
  if (result != 0) return result;
  result = uv_listen(handle_->stream(), kBacklog, &incoming);
  if (result != 0 || address_.is_unix()) return result;
  sockaddr_storage bound{};
  int size = sizeof bound;
  result = uv_tcp_getsockname(handle_->tcp(), reinterpret_cast<sockaddr*>(&bound), &size);
  // Both families keep the port at the same place.
  address_.port = ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  return result;
}

int UvListener::bind_tcp() {
  sockaddr_storage local{};
  const char* const host = address_.host.c_str();
  if (uv_ip4_addr(host, address_.port, reinterpret_cast<sockaddr_in*>(&local)) != 0) {
    const int result = uv_ip6_addr(host, address_.port, reinterpret_cast<sockaddr_in6*>(&local));
    if (result != 0) return result;
  }
  return uv_tcp_bind(handle_->tcp(), reinterpret_cast<const sockaddr*>(&local), 0);
}

void UvListener::on_connection(int status) {
  loop_.thread().assert_current();
  // An error here is that of one connection, or too many open files: the next may do better.
  if (status != 0) return;
  int result = 0;
  auto* const accepted =
      UvHandle<UvStream>::open(loop_.uv().loop, address_.is_unix(), nullptr, result);
  if (accepted == nullptr) return;
  if (uv_accept(handle_->stream(), accepted->stream()) != 0) return accepted->close();
  Incoming connection(loop_, *accepted, tls_);
  acceptor_.on_incoming(connection);
}

}  // namespace millrace::net
