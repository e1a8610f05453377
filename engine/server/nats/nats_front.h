#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/log/log.h"
#include "base/metrics/metrics_registry.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "loop/loop.h"
#include "nats/link.h"
#include "runtime/admission.h"
#include "server/front.h"
#include "server/nats/group_gate.h"
#include "server/nats/group_members.h"
#include "server/nats/nats_exchange.h"
#include "server/nats/nats_settings.h"
#include "server/nats/nats_tally.h"
#include "server/nats/service_desk.h"
#include "server/readiness.h"

// Requests over NATS.
//
// clang-format off
//   thread of libnats           loop                             thread of this front
//   ──────────────────────────  ───────────────────────────────  ────────────────────────────────
//   counts the request and      NatsExchange asks its Front as   publishes replies, joins and
//   posts it to a loop; if too  HTTP would; the reply is queued  leaves groups, opens the link
//   many wait there, queues                                      again if the library gave up
//   the reply `busy`
// clang-format on
//
// Only the thread of this front calls what may wait for a socket, so a NATS server that hangs stops
// no loop.

namespace millrace::server {

/// Answers requests that come over NATS, for all loops of the process.
/// Threading: any thread, but for `start` and `stop`, which one thread calls. Lifetime: borrows its
/// parts until `stop` has returned.
class NatsFront final : private NatsOutbox, private nats::LinkObserver, private GroupRequests {
 public:
  /// A loop and its front.
  struct Door {
    loop::Loop* loop = nullptr;
    Front* front = nullptr;
  };
  using OpenLink =
      std::function<base::Result<std::unique_ptr<nats::Link>>(nats::LinkObserver& observer)>;
  struct Parts {
    std::vector<Door> doors = {};
    const runtime::Admission* admission = nullptr;
    double normal_share = 1;  ///< of the limit, up to which requests of class `normal` enter
    Readiness* readiness = nullptr;
    base::MetricsRegistry* metrics = nullptr;
    base::Logger* log = nullptr;  ///< may be null
    std::string version = {};     ///< of the program, for `$SRV`
    OpenLink open = {};           ///< empty: on libnats
    const base::Clock* clock = &base::steady_clock();
  };

  /// Requests that may wait for a loop (NAT4), and replies that may wait for the socket.
  static constexpr std::size_t kHandOffMax = 4096;
  static constexpr std::size_t kRepliesMax = 16'384;
  /// How long a process is not ready after the library has dropped messages.
  static constexpr base::Duration kOverflowShadow = std::chrono::seconds(5);
  /// When a link is opened again that the library has closed for good.
  static constexpr base::Duration kReopenPause = std::chrono::seconds(2);

  NatsFront() = default;
  ~NatsFront() override { stop(); }
  NatsFront(const NatsFront&) = delete;
  NatsFront& operator=(const NatsFront&) = delete;

  /// Begins to connect. Groups are joined once the server is warm. Does nothing if the settings
  /// name no server. Fails only if they can never work.
  [[nodiscard]] base::Status start(Parts parts, const NatsSettings& settings);
  /// The plans that are loaded now.
  void set_plans(const std::vector<std::string_view>& names) MR_EXCLUDES(mutex_);
  /// Leaves all groups for good; what still comes is answered (NAT7).
  void begin_drain() MR_EXCLUDES(mutex_);
  /// Whether, after `begin_drain`, all groups are left, all messages answered, all replies sent.
  [[nodiscard]] bool is_idle() MR_EXCLUDES(mutex_);
  /// Ends all subscriptions: no message reaches a loop after this has returned.
  void stop_receiving() MR_EXCLUDES(mutex_);
  /// Sends what is left, and ends thread and connection.
  void stop() MR_EXCLUDES(mutex_);

 private:
  /// What others want of the thread.
  struct Orders {
    std::vector<std::string> plans = {};
    std::optional<base::TimePoint> overflowed = {};
    bool drains = false;
    bool is_deaf = false;  ///< no subscription may be left
    bool ends = false;
  };

  // Called by exchanges.
  void on_taken() override { waiting_count_.fetch_sub(1, std::memory_order_relaxed); }
  void send(NatsReply reply) override MR_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t reply_bytes_max() const override {
    return reply_bytes_max_.load(std::memory_order_relaxed);
  }
  // Called by the library.
  void on_state(nats::LinkState state) override MR_EXCLUDES(mutex_);
  void on_overflow() override MR_EXCLUDES(mutex_);
  void on_problem(const std::string& problem) override;
  void on_request(const std::string& plan, bool has_left, nats::Message message) override
      MR_EXCLUDES(mutex_);

  /// Changes the orders and wakes the thread.
  template <class Change>
  void order(Change change) MR_EXCLUDES(mutex_);

  // The thread's.
  void run() MR_EXCLUDES(mutex_);
  /// Waits for something to do. False: the thread is to end, and nothing is left to send.
  [[nodiscard]] bool wait_for_work() MR_EXCLUDES(mutex_);
  void publish_all();
  void keep_house(base::TimePoint now);
  void keep_link(base::TimePoint now);
  void close_link();
  void look_at_load(base::TimePoint now);
  void tell_readiness(base::TimePoint now);
  [[nodiscard]] bool is_restless() const;

  // Constant after `start`.
  Parts parts_;
  NatsSettings settings_;
  std::unique_ptr<NatsTally> tally_;

  // Messages that wait for a loop; bounds them, publishes nothing.
  std::atomic<std::size_t> waiting_count_{0};
  // Whether one was refused since the last look, because so many waited; publishes nothing.
  std::atomic<bool> was_full_{false};
  // Messages whose reply has not left; publishes nothing.
  std::atomic<std::size_t> open_count_{0};
  std::atomic<std::size_t> next_door_{0};               // spreads messages over loops
  std::atomic<std::size_t> reply_bytes_max_{1U << 20};  // the server's; a hint

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<NatsReply> replies_ MR_GUARDED_BY(mutex_);
  Orders orders_ MR_GUARDED_BY(mutex_);
  bool has_news_ MR_GUARDED_BY(mutex_) = false;   // orders or the state of the link have changed
  bool is_obeyed_ MR_GUARDED_BY(mutex_) = false;  // the thread has done what the orders say

  // The thread's; made before it starts and destroyed after its end.
  Orders now_;
  std::vector<NatsReply> sending_;
  std::unique_ptr<GroupMembers> members_;
  std::unique_ptr<ServiceDesk> service_;
  std::unique_ptr<nats::Link> link_;  // ends before what it calls
  GroupGate gate_;
  std::uint64_t refused_before_ = 0;
  base::TimePoint reopen_at_{};
  base::TimePoint next_look_{};
  bool has_skipped_look_ = false;
  // At the last look. Nobody tells the thread that the server has become warm, so it may sleep only
  // after it has seen that.
  bool was_warm_ = false;
  std::thread thread_;
};

}  // namespace millrace::server
