#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "loop/executor.h"
#include "loop/owned_job.h"
#include "loop/owned_timer.h"
#include "net/http/http_handler.h"
#include "observe/trace_context.h"
#include "rank/ranker.h"
#include "server/access/access_rule.h"
#include "server/front_context.h"
#include "server/problem.h"
#include "server/route_table.h"

namespace millrace::server {

/// What a front knows about a batch after its head.
struct BatchOrder {
  const Route* route = nullptr;
  std::string plan = {};                         ///< the path's; empty: every line names its own
  std::optional<base::TimePoint> deadline = {};  ///< of the whole batch
  bool in_input_order = true;
  GrantedKey key = {};  ///< nullptr: the lines need none
};

/// Many requests in one (S21 to S23): a line of the body is a request, a line of the reply its
/// answer. Lines run while the body still comes.
///
///   body ─► lines that wait ─► at most 16 that run ─► answers ─► (those whose turn it is) ─►
///   client
///
/// A line starts only if fewer than 16 run and less than 1 MiB of answers is unsent. A line that
/// admission refuses waits and is tried again when another one has ended, or after a pause.
///
/// Serves one batch and is then given back. Threading: loop thread, but for `LineCall::on_answer`.
class BatchExchange final : public net::HttpReceiver {
 public:
  BatchExchange(FrontContext& front, BatchOrder order);
  ~BatchExchange() override;

  void start(net::HttpExchange& exchange);

  void on_body_piece(std::string_view piece) override;
  void on_body_end(std::string_view body) override;
  void on_drained() override;
  void on_gone(int status) override;

 private:
  class LineCall;
  struct Line {
    std::uint64_t number = 0;  // counts all lines of the body, from 0
    std::uint64_t turn = 0;    // counts those that are not blank
    std::string text = {};
    bool is_counted = false;  // as received; in flight until it has an outcome
    bool waits = false;       // because it was not let in
    runtime::Priority counted_as = runtime::Priority::kLow;
    RequestLedger::Plan* counts = nullptr;  // of a line that was tried in vain
  };

  void take_line(std::string_view text);
  /// Starts lines, and ends the reply when all is done. Called whenever something has changed.
  void move_on();
  [[nodiscard]] bool may_start() const;
  void start_line();
  /// Gives up the lines that wait.
  void drop_waiting();
  void set_waits(Line& line, bool waits);
  void end_line(LineCall& call);
  void answer_line(LineCall& call);
  void send(std::uint64_t turn, std::string text);
  void send_now(std::string_view text);
  void cancel_lines();
  /// Whether spans of the batch and its lines go to a collector (S41).
  [[nodiscard]] bool is_exported() const;
  void export_batch(int status);
  /// Counts and logs the batch.
  void record(int status, rank::RankOutcome outcome, std::string_view request_id);
  void export_line(LineCall& call, int status, base::TimePoint now);
  [[nodiscard]] std::string log_trace_id() const {
    return front_.log().is_on() ? observe::to_text(trace_.trace) : std::string();
  }
  void refuse_rest(const RequestProblem& problem);
  void end_reply();
  void give_back_if_over();
  void retry();

  static constexpr std::size_t kStartsPerTurn = 16;

  FrontContext& front_;
  const BatchOrder order_;
  loop::OwnedJob<BatchExchange, &BatchExchange::move_on> next_turn_;
  loop::OwnedTimer<BatchExchange, &BatchExchange::retry> pause_;
  net::HttpExchange* exchange_ = nullptr;  // nullptr: the reply is over, or the client has gone
  std::string client_;
  std::string partial_;  // the line whose end has not come yet
  std::deque<Line> waiting_;
  std::vector<std::unique_ptr<LineCall>> calls_;  // all of them
  std::vector<LineCall*> idle_;
  std::vector<LineCall*> ended_;
  std::map<std::uint64_t, std::string> held_;  // answers whose turn has not come
  std::size_t held_bytes_ = 0;
  std::uint64_t line_count_ = 0;
  std::uint64_t turn_count_ = 0;
  std::uint64_t next_turn_to_send_ = 0;
  std::size_t running_count_ = 0;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t bytes_out_ = 0;
  base::TimePoint head_end_{};
  observe::RequestTrace trace_{};
  std::uint64_t span_ = 0;  // of the batch, if it is exported
  bool has_begun_ = false;
  bool has_all_ = false;
  bool is_moving_ = false;
  bool is_paused_ = false;  // admission refused a line
};

}  // namespace millrace::server
