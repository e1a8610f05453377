#include "net/fake_listener.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "loop/loop.h"
#include "net/address.h"
#include "net/fake_peer.h"
#include "net/listener.h"
#include "net/stream.h"

namespace millrace::net {
namespace {

class FakeIncoming final : public Incoming {
 public:
  FakeIncoming(std::shared_ptr<FakePeer> client, std::string peer)
      : client_(std::move(client)), peer_(std::move(peer)) {}
  ~FakeIncoming() override {
    if (client_ != nullptr) client_->drop();
  }

  [[nodiscard]] std::unique_ptr<Stream> adopt(loop::Loop& loop, StreamListener& listener) override {
    MR_CHECK(client_ != nullptr);
    return std::exchange(client_, nullptr)->open_stream(loop, listener);
  }
  [[nodiscard]] const std::string& peer() const override { return peer_; }

 private:
  std::shared_ptr<FakePeer> client_;  // owners: this and the listener
  const std::string peer_;
};

}  // namespace

FakeListener::FakeListener(loop::Loop& loop, Acceptor& acceptor, Address address)
    : loop_(loop), acceptor_(acceptor), address_(std::move(address)), timer_(loop, *this) {}

FakeListener::~FakeListener() { close(); }

void FakeListener::close() {
  closed_ = true;
  for (const auto& client : std::exchange(backlog_, {})) client->drop();
}

FakePeer& FakeListener::connect() {
  const auto client = clients_.emplace_back(
      std::make_shared<FakePeer>(loop_, address_, ConnectOptions{}, on_receive));
  if (closed_) {
    client->drop();
    return *client;
  }
  client->accept();  // its stream hears of the connection first
  backlog_.push_back(client);
  timer_.start({});
  return *client;
}

void FakeListener::fail_accept(base::Error reason) { accept_error_ = std::move(reason); }

void FakeListener::resume() {
  paused_ = false;
  accept_error_.reset();
  if (!backlog_.empty()) timer_.start({});
}

void FakeListener::close_after_backlog() {
  if (closed_) return;
  closing_ = true;
  timer_.start({});
}

void FakeListener::on_timer() {
  // Armed before the acceptor is called, which may destroy this listener.
  if (!backlog_.empty() && (closing_ || !paused_)) {
    if (accept_error_ && !closing_) {
      paused_ = true;
      return acceptor_.on_accept_paused(*accept_error_);
    }
    auto client = std::move(backlog_.front());
    backlog_.pop_front();
    if (!backlog_.empty() || closing_) timer_.start({});
    std::string name = "client " + std::to_string(clients_.size() - backlog_.size());
    return acceptor_.on_incoming(
        std::make_unique<FakeIncoming>(std::move(client), std::move(name)));
  }
  if (!closing_ || std::exchange(closed_, true)) return;
  acceptor_.on_listener_closed();
}

}  // namespace millrace::net
