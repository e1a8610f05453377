#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "loop/executor.h"
#include "nats/message.h"
#include "net/http/http_handler.h"
#include "server/front.h"

namespace millrace::server {

/// A reply on its way.
struct NatsReply {
  nats::Message message = {};
  std::string plan = {};  ///< that was asked; empty: it is no reply to a ranking request
  int status = 200;
};

/// Where the replies of messages go.
/// Threading: any thread; never blocks.
class NatsOutbox {
 public:
  virtual ~NatsOutbox() = default;
  /// A loop has begun with a message.
  virtual void on_taken() = 0;
  /// Takes the one reply of a message; it is sent soon, or counted as undeliverable.
  virtual void send(NatsReply reply) = 0;
  /// The most bytes that a reply may have.
  [[nodiscard]] virtual std::size_t reply_bytes_max() const = 0;
};

/// The header of a reply that says what HTTP would have as its status.
inline constexpr std::string_view kNatsStatusHeader = "Rank-Status";

/// Makes a reply that no run of the engine has made.
[[nodiscard]] NatsReply make_nats_problem(const nats::Message& asked,
                                          std::string plan,
                                          const RequestProblem& problem);

/// A message as the front sees it: an exchange of HTTP without a connection (NAT2). So bodies,
/// codes, deadlines, limits, keys, metrics and the log are those of HTTP.
///
/// It is posted to a loop, asks the front there, and destroys itself with its reply.
/// Threading: made by any thread, then the loop's.
class NatsExchange final : public net::HttpExchange, private loop::Job {
 public:
  /// `plan` is what the subject names.
  NatsExchange(Front& front,
               NatsOutbox& outbox,
               nats::Message message,
               std::string plan,
               base::TimePoint arrived);
  ~NatsExchange() override = default;

  /// Hands it over to the loop of the front. It then owns itself.
  void post_to(loop::Executor& loop) { loop.post(*this); }

  [[nodiscard]] const net::HttpRequestHead& head() const override { return head_; }
  [[nodiscard]] const net::HttpTarget& target() const override { return target_; }
  [[nodiscard]] const net::HttpTimes& times() const override { return times_; }
  [[nodiscard]] const std::string& peer() const override { return peer_; }
  void receive(net::HttpReceiver& receiver, const net::HttpBodyWish& wish) override;
  [[nodiscard]] net::HttpFields& reply_fields() override { return reply_fields_; }
  void close_after_reply() override {}
  bool reply(int status, std::string_view body) override;
  // Replies in pieces belong to routes that messages cannot reach.
  void begin(int status) override;
  void write(std::string_view piece) override;
  void finish() override;
  void abort() override;
  [[nodiscard]] std::size_t unsent_bytes() const override { return 0; }

 private:
  void start();

  Front& front_;
  NatsOutbox& outbox_;
  nats::Message message_;
  const std::string plan_;
  const std::string peer_ = "nats";
  net::HttpRequestHead head_;
  net::HttpTarget target_;
  net::HttpTimes times_;
  net::HttpFields reply_fields_;
  net::HttpReceiver* receiver_ = nullptr;
  bool is_starting_ = false;
  bool has_replied_ = false;
};

}  // namespace millrace::server
