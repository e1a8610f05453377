#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "loop/executor.h"
#include "net/http/http_handler.h"
#include "observe/trace_context.h"
#include "rank/ranker.h"
#include "server/access/access_rule.h"
#include "server/front_context.h"
#include "server/route_table.h"
#include "server/server_timing.h"

namespace millrace::server {

/// What a front knows about a ranking request after its head.
/// Lifetime: borrows for the call.
struct RankOrder {
  const Route* route = nullptr;
  std::string_view plan = {};           ///< the path's; empty: the body names it
  std::string_view query_request = {};  ///< the request, if the query is one
  base::TimePoint deadline{};
  bool is_pretty = false;
  GrantedKey key = {};  ///< nullptr: the request needs none
};

/// One ranking request from its head to its reply. Used again and again.
///
/// The engine answers on any thread; the reply is made on the loop. A client that goes away cancels
/// the run (S11); the exchange is free again when the run has answered, too.
/// Threading: loop thread, but for `on_answer`.
class RankExchange final : public net::HttpReceiver, private rank::RankCall {
 public:
  explicit RankExchange(FrontContext& front);

  /// Takes a request. The exchange then calls `FrontContext::give_back`, once.
  void start(net::HttpExchange& exchange, const RankOrder& order, QuotaPlace quota);

  /// Answers with 503 `draining` and cancels the run.
  void refuse();

  /// Where the front keeps it.
  [[nodiscard]] std::size_t place() const { return place_; }
  void set_place(std::size_t place) { place_ = place; }

  void on_body_end(std::string_view body) override;
  void on_gone(int status) override;

 private:
  struct HomeJob : loop::Job {
    explicit HomeJob(RankExchange& exchange);
    static void run_home(Job& job);
    RankExchange& owner;
  };

  void on_answer() override;
  /// Makes the reply; `now` is when the answer was there, on the loop.
  void deliver(base::TimePoint now);
  void note_own_delay(base::TimePoint now);
  void count();
  /// Counts it in flight under its class and its plan, once they are known.
  void count_in_flight();
  void correct_class();
  void count_shed();
  /// Hands the captured run to whoever exports it.
  void export_run(int status, base::TimePoint now);
  void reply();
  void record(int status, std::size_t bytes_out);
  /// Keeps the text of the request to warm the next version of its plan up with. It is there while
  /// the request starts only.
  void recall_text();
  void free_again();

  FrontContext& front_;
  HomeJob home_job_;
  net::HttpExchange* exchange_ = nullptr;  // nullptr: the client has gone
  GenerationSlot::Use use_;                // from the start of the run until this is free
  std::string_view text_;                  // of the request, while it starts
  const Route* route_ = nullptr;
  std::string plan_name_;
  std::string query_request_;
  std::string header_id_;
  observe::RequestTrace trace_;
  std::string client_;
  std::string method_;
  std::string timing_;
  GrantedKey key_;
  QuotaPlace quota_;
  base::TimePoint deadline_{};
  base::TimePoint head_end_{};
  base::TimePoint body_end_{};
  base::TimePoint started_{};
  base::TimePoint answered_{};   // when the answer was posted home; written before the post
  base::Duration loop_delay_{};  // what it waited for the loop so far
  bool is_sampled_ = false;      // its own delay is
  RequestPhases phases_;
  std::size_t bytes_in_ = 0;
  std::size_t place_ = 0;
  int gone_status_ = 0;
  bool is_pretty_ = false;
  bool* over_flag_ = nullptr;                                  // told when this is given back
  bool is_running_ = false;                                    // started, and not delivered yet
  bool is_in_plan_ = false;                                    // counted among those of its plan
  runtime::Priority counted_as_ = runtime::Priority::kNormal;  // the class while in flight
};

}  // namespace millrace::server
