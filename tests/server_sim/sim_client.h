#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "judge.h"
#include "net/fake_listener.h"
#include "net/fake_peer.h"
#include "reply_parser.h"
#include "scenario.h"

namespace millrace::server_sim {

/// A set of plans that all loops were told to use.
struct Publication {
  int active = 0;
  std::optional<int> canary;
  base::TimePoint begun{};
  std::optional<base::TimePoint> done;  ///< when all loops used it
};

/// What clients need to know about the server to judge its answers.
struct ServerFacts {
  std::vector<Publication> publications;
  std::optional<base::TimePoint> drain_begun;      ///< the server was told that it will end
  std::optional<base::TimePoint> drain_announced;  ///< all loops know it
  std::optional<base::TimePoint> accepting_ended;  ///< it was told to accept no more
  std::optional<base::TimePoint> gave_up_at;       ///< it refuses what still runs
  bool has_canary = false;
  // What all clients have received.
  std::uint64_t good_answers = 0;
  std::uint64_t late_answers = 0;
  std::uint64_t failed_answers = 0;
};

/// One client and the ledger of what it asked and got.
/// Threading: not shared. Lifetime: borrows everything.
class SimClient {
 public:
  struct World {
    const Scenario* scenario = nullptr;
    base::ManualClock* clock = nullptr;
    Judge* judge = nullptr;
    ServerFacts* facts = nullptr;
    net::FakeListener* listener = nullptr;
  };
  SimClient(const World& world, const ClientPlan& plan, std::uint64_t seed);

  /// When it wants to do something next.
  [[nodiscard]] std::optional<base::TimePoint> next_time() const;
  /// Does what is due.
  void act();
  /// Bytes have arrived.
  void on_receive();
  /// Notes whether the connection is over; called before time moves.
  void look();
  /// Judges what was left open. The server is gone.
  void judge_end();

  [[nodiscard]] const ClientPlan& plan() const { return plan_; }
  [[nodiscard]] const net::FakePeer* peer() const { return peer_; }
  /// Whether nothing more can happen to it.
  [[nodiscard]] bool is_over() const { return closed_at_ && !next_time(); }
  /// When the connection was over, as far as `look` has seen.
  [[nodiscard]] const std::optional<base::TimePoint>& closed_at() const { return closed_at_; }
  /// A digest of all that it got, and when.
  [[nodiscard]] std::uint64_t log_hash() const { return log_hash_; }

 private:
  struct AskState {
    std::optional<base::TimePoint> head_at;  // its head was sent
    std::optional<base::TimePoint> sent_at;  // all of it was
    std::optional<base::TimePoint> answered_at;
  };
  struct Piece {
    base::TimePoint when;
    std::string bytes;
    std::size_t ask = 0;
    bool has_head_end = false;
    bool is_last = false;
  };

  void connect();
  void plan_pieces(std::size_t ask, base::TimePoint from);
  void send_piece();
  void end();
  void take(const Reply& reply);
  void judge_rank(std::size_t index, int status, const Reply& reply);
  void judge_batch(std::size_t index, const std::string& body, bool is_whole);
  void judge_good(std::size_t index, std::int64_t user, std::string_view body);
  void judge_page(std::size_t index, const Reply& reply);
  void judge_metrics(const std::string& page);
  void judge_while_draining(const AskState& state, const Reply& reply);
  [[nodiscard]] bool fits_fate(const Ask& ask, std::int64_t user, int status) const;
  [[nodiscard]] std::string name(std::size_t ask) const;
  /// Whether its connection never has to wait for a place.
  [[nodiscard]] bool has_place() const {
    return world_.scenario->connections_max > world_.scenario->clients.size();
  }
  /// Whether nothing but the server decides when a request is read and its answer is received.
  [[nodiscard]] bool is_served_at_once() const {
    return has_place() && !plan_.pipelines && !plan_.stall_after;
  }
  void expect(bool holds, const char* statement, const std::string& message) {
    world_.judge->expect(holds, statement, message);
  }

  const World world_;
  const ClientPlan& plan_;
  base::SplitMix64 random_;
  net::FakePeer* peer_ = nullptr;
  ReplyParser parser_;
  std::vector<AskState> states_;
  std::deque<Piece> pieces_;
  std::size_t next_answer_ = 0;
  std::optional<base::TimePoint> connect_at_;
  std::optional<base::TimePoint> end_at_;
  std::optional<base::TimePoint> stall_at_;
  std::optional<base::TimePoint> read_again_at_;
  std::optional<base::TimePoint> closed_at_;
  base::TimePoint last_answer_{};
  bool was_refused_ = false;
  bool saw_close_ = false;  // a reply said that it is the last one
  bool is_done_ = false;    // sends nothing any more
  int last_version_ = 0;
  std::uint64_t log_hash_ = 0;
};

}  // namespace millrace::server_sim
