#include "net/uv_listener.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/loop.h"
#include "loop/uv_loop.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/listener.h"
#include "net/listening_socket.h"
#include "net/stream.h"
#include "net/tls_context.h"
#include "net/tls_stream.h"
#include "net/uv_stream.h"

namespace millrace::net {
namespace {

/// An accepted socket.
class UvIncoming final : public Incoming {
 public:
  struct Settings {
    bool is_unix = false;
    base::Duration handshake_timeout{};
    std::shared_ptr<const TlsContext> tls;  // owners: the listener and its connections
  };

  UvIncoming(ListeningSocket::Accepted accepted, Settings settings)
      : accepted_(std::move(accepted)), settings_(std::move(settings)) {}

  [[nodiscard]] std::unique_ptr<Stream> adopt(loop::Loop& loop, StreamListener& listener) override {
    auto* const event_loop = dynamic_cast<loop::EventLoop*>(&loop);
    MR_CHECK(event_loop != nullptr);
    MR_CHECK(accepted_.descriptor.is_open());
    if (settings_.tls == nullptr) return open(*event_loop, listener);
    auto stream = std::make_unique<TlsStream>(
        loop,
        settings_.tls,
        TlsStream::Settings{.handshake_timeout = settings_.handshake_timeout,
                            .where = accepted_.peer},
        listener);
    stream->start(open(*event_loop, stream->inner_listener()));
    return stream;
  }
  [[nodiscard]] const std::string& peer() const override { return accepted_.peer; }

 private:
  [[nodiscard]] std::unique_ptr<Stream> open(loop::EventLoop& loop, StreamListener& listener) {
    auto stream = std::make_unique<UvStream>(loop, listener);
    stream->adopt(std::move(accepted_.descriptor), settings_.is_unix, accepted_.peer);
    return stream;
  }

  ListeningSocket::Accepted accepted_;
  const Settings settings_;
};

}  // namespace

/// What libuv keeps of the listener until it has closed the handle.
struct UvListener::Poll {
  uv_poll_t handle{};
  UvListener* owner = nullptr;  // nullptr once closed

  static void ready(uv_poll_t* handle, int /*status*/, int /*events*/) {
    auto& poll = *static_cast<Poll*>(handle->data);
    if (poll.owner != nullptr) poll.owner->on_readable();
  }
  void close() {
    owner = nullptr;
    uv_close(reinterpret_cast<uv_handle_t*>(&handle),
             [](uv_handle_t* any) { delete static_cast<Poll*>(any->data); });  // NOLINT
  }
};

base::Result<std::unique_ptr<UvListener>> UvListener::listen(loop::EventLoop& loop,
                                                             const Address& address,
                                                             Acceptor& acceptor,
                                                             const UvListenerOptions& options) {
  MR_TRY(auto socket, ListeningSocket::open(address, options.backlog));
  return make(loop, std::move(socket), acceptor, options);
}

base::Result<std::unique_ptr<UvListener>> UvListener::inherit(loop::EventLoop& loop,
                                                              Descriptor descriptor,
                                                              Acceptor& acceptor,
                                                              const UvListenerOptions& options) {
  MR_TRY(auto socket, ListeningSocket::inherit(std::move(descriptor)));
  return make(loop, std::move(socket), acceptor, options);
}

base::Result<std::unique_ptr<UvListener>> UvListener::make(loop::EventLoop& loop,
                                                           ListeningSocket socket,
                                                           Acceptor& acceptor,
                                                           const UvListenerOptions& options) {
  std::unique_ptr<UvListener> listener(new UvListener(loop, std::move(socket), acceptor, options));
  if (options.tls) {
    MR_TRY(listener->tls_, TlsContext::make(*options.tls, TlsRole::kServer));
  }
  MR_TRY_STATUS(listener->start_polling());
  return listener;
}

UvListener::UvListener(loop::EventLoop& loop,
                       ListeningSocket socket,
                       Acceptor& acceptor,
                       const UvListenerOptions& options)
    : loop_(loop),
      acceptor_(acceptor),
      options_(options),
      socket_(std::move(socket)),
      close_job_(loop, *this) {}

UvListener::~UvListener() { close(); }

base::Status UvListener::start_polling() {
  loop_.thread().assert_current();
  auto poll = std::make_unique<Poll>();
  const int result = uv_poll_init(&loop_.uv().loop, &poll->handle, socket_.descriptor());
  if (result != 0) {
    return base::fail(base::ErrorCode::kUnavailable,
                      std::string("Cannot listen: ") + uv_strerror(result),
                      to_string(address()));
  }
  poll_ = poll.release();
  poll_->handle.data = poll_;
  poll_->owner = this;
  update_polling();
  return {};
}

void UvListener::update_polling() {
  if (poll_ == nullptr) return;
  const int result = paused_ || closing_ ? uv_poll_stop(&poll_->handle)
                                         : uv_poll_start(&poll_->handle, UV_READABLE, &Poll::ready);
  MR_CHECK(result == 0, result);
}

void UvListener::pause() {
  paused_ = true;
  update_polling();
}

void UvListener::resume() {
  paused_ = false;
  update_polling();
}

void UvListener::close_after_backlog() {
  if (closing_ || poll_ == nullptr) return;
  closing_ = true;
  update_polling();
  close_job_.post();
}

base::Status UvListener::replace_tls(const TlsOptions& options) {
  MR_CHECK(tls_ != nullptr);
  MR_TRY(tls_, TlsContext::make(options, TlsRole::kServer));
  return {};
}

void UvListener::on_readable() { (void)accept_some(kAcceptsPerTurnMax); }

void UvListener::on_close_job() {
  paused_ = false;
  // No more than the backlog holds: those who come later need not be served.
  if (!accept_some(options_.backlog)) return;
  close();
  acceptor_.on_listener_closed();
}

bool UvListener::accept_some(int count_max) {
  const UvIncoming::Settings settings{
      .is_unix = address().is_unix(), .handshake_timeout = options_.handshake_timeout, .tls = tls_};
  // Lives until libuv has closed the handle, so it tells whether the acceptor destroyed us.
  const Poll& poll = *poll_;
  for (int count = 0; count < count_max && !paused_; ++count) {
    auto accepted = socket_.accept();
    if (auto* const nothing = std::get_if<ListeningSocket::Nothing>(&accepted)) {
      if (*nothing == ListeningSocket::Nothing::kTryAgain) continue;
      if (*nothing == ListeningSocket::Nothing::kNoneWaits) break;
      pause();
      acceptor_.on_accept_paused(socket_.last_error());
      return poll.owner == this;
    }
    acceptor_.on_incoming(std::make_unique<UvIncoming>(
        std::move(std::get<ListeningSocket::Accepted>(accepted)), settings));
    if (poll.owner != this) return false;
  }
  return true;
}

void UvListener::close() {
  if (poll_ == nullptr) return;
  // Before the descriptor: libuv must stop polling it first.
  std::exchange(poll_, nullptr)->close();
  socket_.close();
}

}  // namespace millrace::net
