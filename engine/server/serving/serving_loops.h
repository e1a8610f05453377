#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/metrics/metric_binding.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/http/connection_spreader.h"
#include "net/http/http_server.h"
#include "net/http/http_server_settings.h"
#include "net/listener.h"
#include "server/front.h"
#include "server/generations/generation_slot.h"
#include "server/readiness.h"
#include "server/route_table.h"

// The part of a server that has loops, but neither threads nor sockets: the plans, fronts and
// connections of each loop, how connections are spread, and how all of it ends. `Server` puts it on
// event loops and sockets, the simulator on loops and streams in virtual time.

namespace millrace::server {

/// What one loop of a server has.
/// Threading: made, used and destroyed on its loop.
class ServingLoop {
 public:
  struct Parts {
    std::size_t index = 0;
    std::uint64_t seed = 0;        ///< of what is drawn per answer
    LoopPulses* pulses = nullptr;  ///< where it beats
    FrontServices services;        ///< but for generations, pulses and random
    FrontSettings front;
    net::HttpServerSettings http;
    /// Gets generations that nothing on this loop uses any more.
    std::function<void(std::shared_ptr<void>)> retire;
    LoopPlans plans;  ///< what it starts with
  };
  explicit ServingLoop(Parts parts);
  ServingLoop(const ServingLoop&) = delete;
  ServingLoop& operator=(const ServingLoop&) = delete;

  [[nodiscard]] loop::Loop& loop() { return loop_; }
  [[nodiscard]] GenerationSlot& generations() { return generations_; }
  [[nodiscard]] Front& front() { return front_; }
  [[nodiscard]] net::HttpServer& http() { return http_; }

 private:
  void beat();
  [[nodiscard]] FrontServices with_own(FrontServices services);

  const std::size_t index_;
  loop::Loop& loop_;
  LoopPulses& pulses_;
  base::SplitMix64 random_;
  loop::OwnedTimer<ServingLoop, &ServingLoop::beat> beat_timer_;
  GenerationSlot generations_;
  Front front_;
  net::HttpServer http_;
  base::MetricBinding binding_;  // goes before the cells
};

/// The loops of a server, and its listeners. The last loop accepts.
/// Threading: one thread uses it, outside the loops.
class ServingLoops {
 public:
  /// Runs a function on a loop and returns when that is done.
  using CallOnLoop = std::function<void(loop::Loop&, const std::function<void()>&)>;
  using MakeLoop = std::function<std::unique_ptr<ServingLoop>(std::size_t index)>;
  /// Opens a listener that gives its connections to `acceptor`. Called on the accepting loop.
  using MakeListener =
      std::function<base::Result<std::unique_ptr<net::Listener>>(net::Acceptor& acceptor)>;

  ServingLoops(const std::vector<loop::Loop*>& loops,
               std::size_t connections_max,
               CallOnLoop call,
               const MakeLoop& make);
  /// Closes all connections; requests under way are cancelled and awaited.
  ~ServingLoops();
  ServingLoops(const ServingLoops&) = delete;
  ServingLoops& operator=(const ServingLoops&) = delete;

  /// Gives the listener, which stays here. `on_refused` hears when the system refuses to accept.
  [[nodiscard]] base::Result<net::Listener*> listen(
      ListenerKind kind,
      const MakeListener& make,
      std::function<void(const base::Error&)> on_refused = {});

  /// Makes all loops use other plans, one after another.
  void publish(const std::function<LoopPlans(std::size_t index)>& plans_of);
  /// The last requests of a plan.
  [[nodiscard]] std::vector<std::string> recall(std::string_view plan);
  void set_keys(const std::shared_ptr<const AccessKeys>& keys);
  /// Runs a function on the loop that accepts.
  void call_accepting(const std::function<void()>& function);

  // How it ends (S47), in this order.

  /// From now on replies close their connections.
  void announce_close();
  /// Accepts what waits, closes the listeners and the idle connections.
  void stop_accepting();
  /// Whether no listener and no connection is open and no request under way.
  [[nodiscard]] bool is_idle();
  /// Answers what is still under way with 503 `draining`, and closes the idle connections.
  void give_up();
  /// Closes the listeners and all connections, and waits for runs that were cancelled by it.
  void close();

  [[nodiscard]] const net::ConnectionSpreader& spreader() const { return *spreader_; }
  [[nodiscard]] std::size_t size() const { return loops_.size(); }
  [[nodiscard]] ServingLoop& at(std::size_t index) { return *loops_[index]; }

 private:
  /// A listener, and whether it has closed by itself.
  struct OpenListener {
    std::unique_ptr<net::Listener> listener;
    std::atomic<bool> is_closed{false};  // publishes nothing else
  };
  void on_each(const std::function<void(ServingLoop&)>& function);

  const CallOnLoop call_;
  loop::Loop& accepting_;
  std::unique_ptr<net::ConnectionSpreader> spreader_;
  std::vector<std::unique_ptr<ServingLoop>> loops_;
  std::vector<std::unique_ptr<OpenListener>> listeners_;
};

}  // namespace millrace::server
