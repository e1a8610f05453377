#include "net/http/connection_spreader.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/http/planted_bug.h"
#include "net/listener.h"

namespace millrace::net {
namespace {

/// How long a listener waits before it tries again without a descriptor: others than our
/// connections may have freed one.
constexpr base::Duration kRetry = std::chrono::seconds(1);

/// Carries a connection to the loop of its server.
struct HandOver final : loop::Job {
  HandOver(std::unique_ptr<Incoming> handed, HttpServer& to, HttpHandler& with)
      : Job(&deliver), incoming(std::move(handed)), server(to), handler(with) {}
  static void deliver(Job& job) {
    const std::unique_ptr<HandOver> self(static_cast<HandOver*>(&job));
    self->server.take(std::move(self->incoming), self->handler);
  }

  std::unique_ptr<Incoming> incoming;
  HttpServer& server;
  HttpHandler& handler;
};

}  // namespace

/// What the spreader keeps of one server. The question and the answer are jobs: each is posted by
/// one side and runs on the other, and never both at a time, so they need no lock.
class ConnectionSpreader::Door final : public HttpServerWatcher {
 public:
  Door(ConnectionSpreader& spreader, loop::Loop& loop, HttpServer& server)
      : spreader_(spreader), loop_(loop), server_(server), question_(*this), answer_(*this) {
    server_.set_watcher(this);
  }

  // For the accepting loop.
  [[nodiscard]] std::size_t open_count() const { return open_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_asked() const { return is_asked_; }
  [[nodiscard]] const HttpServer& server() const { return server_; }
  void hand_over(std::unique_ptr<Incoming> incoming, HttpHandler& handler) {
    open_.fetch_add(1, std::memory_order_relaxed);
    if (loop_.is_current()) return server_.take(std::move(incoming), handler);
    loop_.post(*std::make_unique<HandOver>(std::move(incoming), server_, handler).release());
  }
  /// Asks for room: close the longest idle connection, or say when there may be one.
  void ask(bool closes_idle) {
    MR_CHECK(!is_asked_);
    is_asked_ = true;
    closes_idle_ = closes_idle;
    open_seen_ = open_count();
    loop_.post(question_);
  }

  // For the loop of the server.
  void on_connection_closed() override {
    open_.fetch_sub(1, std::memory_order_relaxed);
    tell();
  }
  void on_connection_idle() override { tell(); }

 private:
  struct Question final : loop::Job {
    explicit Question(Door& of) : Job(&asked), door(of) {}
    static void asked(Job& job) { static_cast<Question&>(job).door.on_question(); }
    Door& door;
  };
  struct Answer final : loop::Job {
    explicit Answer(Door& of) : Job(&arrived), door(of) {}
    static void arrived(Job& job) {
      Door& door = static_cast<Answer&>(job).door;
      door.is_asked_ = false;
      door.spreader_.on_answer();
    }
    Door& door;
  };

  void on_question() {
    owes_answer_ = true;
    if (closes_idle_) {
      // If it has a request by now, another loop may have an idle one: the answer comes at once.
      (void)server_.try_close_longest_idle();
      return tell();
    }
    if (server_.idle_count() > 0 || open_count() < open_seen_) tell();
  }
  void tell() {
    if (std::exchange(owes_answer_, false)) spreader_.accepting_.post(answer_);
  }

  ConnectionSpreader& spreader_;
  loop::Loop& loop_;
  HttpServer& server_;
  // Counts what the accepting loop has handed over and the other one has not closed. Orders
  // nothing: decisions that need more wait for an answer.
  std::atomic<std::size_t> open_{0};
  // The accepting loop only, from the answer to the question.
  bool is_asked_ = false;
  // Written by the accepting loop before it posts the question, read when that runs.
  bool closes_idle_ = false;
  std::size_t open_seen_ = 0;
  // The loop of the server only.
  bool owes_answer_ = false;
  Question question_;
  Answer answer_;
};

ConnectionSpreader::ConnectionSpreader(loop::Loop& accepting, std::size_t connections_max)
    : accepting_(accepting), connections_max_(connections_max), retry_timer_(accepting, *this) {}

ConnectionSpreader::~ConnectionSpreader() = default;

void ConnectionSpreader::add_target(loop::Loop& loop, HttpServer& server) {
  doors_.push_back(std::make_unique<Door>(*this, loop, server));
}

ConnectionSpreader::Port& ConnectionSpreader::add_port(std::vector<HttpHandler*> handlers) {
  MR_CHECK(handlers.size() == doors_.size());
  ports_.push_back(std::unique_ptr<Port>(new Port(*this, std::move(handlers))));
  return *ports_.back();
}

std::size_t ConnectionSpreader::open_count(std::size_t target) const {
  return doors_.at(target)->open_count();
}

std::size_t ConnectionSpreader::open_count() const {
  std::size_t count = 0;
  for (const auto& door : doors_) count += door->open_count();
  return count;
}

bool ConnectionSpreader::try_place(Port& port) {
  if (port.waiting_.empty() || open_count() >= connections_max_) return false;
  std::size_t best = 0;
  for (std::size_t i = 1; i < doors_.size(); ++i) {
    if (doors_[i]->open_count() < doors_[best]->open_count() &&
        !MR_PLANTED_IN_SERVER(kFirstLoopOnly))
      best = i;
  }
  std::unique_ptr<Incoming> incoming = std::move(port.waiting_.front());
  port.waiting_.erase(port.waiting_.begin());
  doors_[best]->hand_over(std::move(incoming), *port.handlers_[best]);
  return true;
}

void ConnectionSpreader::stop() {
  is_stopped_ = true;
  retry_timer_.stop();
  for (const auto& port : ports_) {
    port->listener_ = nullptr;
    port->waiting_.clear();
  }
}

void ConnectionSpreader::on_answer() {
  if (is_stopped_) return;
  bool needs_room = false;
  for (const auto& port : ports_) {
    const bool was_full = !port->waiting_.empty();
    while (try_place(*port)) {
    }
    needs_room = needs_room || !port->waiting_.empty();
    const bool may_go_on = port->waiting_.empty() && (was_full || port->is_starved_);
    port->is_starved_ = false;
    if (may_go_on && port->listener_ != nullptr) port->listener_->resume();
  }
  if (needs_room) look_for_room();
}

void ConnectionSpreader::look_for_room() {
  Door* longest = nullptr;
  std::optional<base::TimePoint> since;
  for (const auto& door : doors_) {
    const auto idle = door->server().find_longest_idle();
    if (!idle || (since && *since <= *idle)) continue;
    since = idle;
    longest = door.get();
  }
  if (longest != nullptr) {
    // Its answer will come, whatever it was asked.
    if (!longest->is_asked()) longest->ask(true);
    return;
  }
  for (const auto& door : doors_) {
    if (!door->is_asked()) door->ask(false);
  }
}

void ConnectionSpreader::on_retry() { on_answer(); }

ConnectionSpreader::Port::Port(ConnectionSpreader& spreader, std::vector<HttpHandler*> handlers)
    : spreader_(spreader), handlers_(std::move(handlers)) {}

void ConnectionSpreader::Port::on_incoming(std::unique_ptr<Incoming> incoming) {
  waiting_.push_back(std::move(incoming));
  if (waiting_.size() == 1 && spreader_.try_place(*this)) return;
  MR_CHECK(listener_ != nullptr);
  listener_->pause();
  spreader_.look_for_room();
}

void ConnectionSpreader::Port::on_accept_paused(const base::Error& reason) {
  is_starved_ = true;
  if (on_refused) on_refused(reason);
  spreader_.look_for_room();
  spreader_.retry_timer_.start(kRetry);
}

void ConnectionSpreader::Port::on_listener_closed() {
  listener_ = nullptr;
  if (on_closed) on_closed();
}

}  // namespace millrace::net
