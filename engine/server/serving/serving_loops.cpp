#include "server/serving/serving_loops.h"

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "server/server_metrics.h"

namespace millrace::server {

ServingLoop::ServingLoop(Parts parts)
    : index_(parts.index),
      loop_(*parts.services.loop),
      pulses_(*parts.pulses),
      random_(parts.seed),
      beat_timer_(loop_, *this),
      generations_(parts.index, std::move(parts.retire)),
      front_(with_own(parts.services), parts.front),
      http_({.loop = loop_, .gzip_workers = parts.services.workers}, parts.http),
      binding_(*parts.services.metrics) {
  const net::HttpServerCells& cells = http_.counters();
  binding_.bind(kHttpConnections, {std::to_string(index_)}, &cells.connections);
  binding_.bind(kHttpRejected, {"protocol"}, &cells.refused);
  binding_.bind(kHttpRejected, {"gone"}, &cells.gone);
  binding_.bind(kHttpBytes, {"in"}, &cells.bytes_in);
  binding_.bind(kHttpBytes, {"out"}, &cells.bytes_out);
  generations_.set(std::move(parts.plans));
  beat();
}

FrontServices ServingLoop::with_own(FrontServices services) {
  services.generations = &generations_;
  services.pulses = &pulses_;
  services.random = &random_;
  return services;
}

void ServingLoop::beat() {
  const base::TimePoint now = loop_.clock().now();
  pulses_.beat(index_, now);
  beat_timer_.start_at(now + LoopPulses::kPeriod);
}

ServingLoops::ServingLoops(const std::vector<loop::Loop*>& loops,
                           std::size_t connections_max,
                           CallOnLoop call,
                           const MakeLoop& make)
    : call_(std::move(call)),
      accepting_(*loops.back()),
      spreader_(std::make_unique<net::ConnectionSpreader>(accepting_, connections_max)) {
  for (std::size_t index = 0; index < loops.size(); ++index) {
    call_(*loops[index], [&] {
      ServingLoop& made = *loops_.emplace_back(make(index));
      spreader_->add_target(made.loop(), made.http());
    });
  }
}

ServingLoops::~ServingLoops() { close(); }

void ServingLoops::on_each(const std::function<void(ServingLoop&)>& function) {
  for (const auto& loop : loops_) call_(loop->loop(), [&] { function(*loop); });
}

void ServingLoops::call_accepting(const std::function<void()>& function) {
  call_(accepting_, function);
}

base::Result<net::Listener*> ServingLoops::listen(
    ListenerKind kind,
    const MakeListener& make,
    std::function<void(const base::Error&)> on_refused) {
  std::vector<net::HttpHandler*> handlers;
  for (const auto& loop : loops_) handlers.push_back(&loop->front().handler(kind));
  OpenListener& open = *listeners_.emplace_back(std::make_unique<OpenListener>());
  base::Result<net::Listener*> outcome = nullptr;
  call_(accepting_, [&] {
    net::ConnectionSpreader::Port& port = spreader_->add_port(std::move(handlers));
    auto made = make(port);
    if (!made) {
      outcome = std::unexpected(made.error());
      return;
    }
    open.listener = *std::move(made);
    port.set_listener(*open.listener);
    port.on_closed = [&open] { open.is_closed.store(true, std::memory_order_relaxed); };
    port.on_refused = std::move(on_refused);
    outcome = open.listener.get();
  });
  return outcome;
}

void ServingLoops::publish(const std::function<LoopPlans(std::size_t index)>& plans_of) {
  for (std::size_t index = 0; index < loops_.size(); ++index) {
    ServingLoop& loop = *loops_[index];
    call_(loop.loop(), [&] { loop.generations().set(plans_of(index)); });
  }
}

std::vector<std::string> ServingLoops::recall(std::string_view plan) {
  std::vector<std::string> texts;
  on_each([&](ServingLoop& loop) { loop.generations().recall().append(plan, texts); });
  return texts;
}

void ServingLoops::set_keys(const std::shared_ptr<const AccessKeys>& keys) {
  on_each([&](ServingLoop& loop) { loop.front().set_keys(keys); });
}

void ServingLoops::announce_close() {
  on_each([](ServingLoop& loop) { loop.http().announce_close(); });
}

void ServingLoops::stop_accepting() {
  call_(accepting_, [&] {
    for (const auto& open : listeners_) {
      if (open->listener != nullptr) open->listener->close_after_backlog();
    }
  });
  on_each([](ServingLoop& loop) { loop.http().close_idle(); });
}

bool ServingLoops::is_idle() {
  for (const auto& open : listeners_) {
    if (!open->is_closed.load(std::memory_order_relaxed)) return false;
  }
  bool is_idle = true;
  on_each([&](ServingLoop& loop) {
    // A connection that came with the rest of the queue, and then sent nothing, is idle too.
    loop.http().close_idle();
    is_idle &= loop.http().connection_count() == 0 && loop.front().open_count() == 0;
  });
  return is_idle;
}

void ServingLoops::give_up() {
  on_each([](ServingLoop& loop) {
    loop.front().refuse_all();
    loop.http().close_idle();
  });
}

void ServingLoops::close() {
  if (spreader_ == nullptr) return;
  call_(accepting_, [&] {
    for (const auto& open : listeners_) open->listener.reset();
    // Answers to its questions may still come when servers are gone.
    spreader_->stop();
  });
  on_each([](ServingLoop& loop) {
    loop.http().close_all();
    loop.front().refuse_all();  // what came without a connection
  });
  // Runs whose client is gone are cancelled; a front must outlive them.
  for (const auto& loop : loops_) {
    bool is_open = true;
    while (is_open) call_(loop->loop(), [&] { is_open = loop->front().open_count() != 0; });
  }
  for (auto& loop : loops_) {
    loop::Loop& own = loop->loop();
    call_(own, [&] { loop.reset(); });
  }
  loops_.clear();
  // Its timer belongs to the accepting loop. What other loops have posted to it has run by then,
  // because jobs run in order.
  call_(accepting_, [&] { spreader_.reset(); });
}

}  // namespace millrace::server
