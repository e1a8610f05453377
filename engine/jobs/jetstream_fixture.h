#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_reader.h"
#include "jobs/job_names.h"
#include "nats/link_fixture.h"

// For tests only: the streams of one job, without a server. It takes what a server would take and
// answers on the thread that publishes.

namespace millrace::jobs::testing {

class FakeJetStream final : public nats::Link {
 public:
  explicit FakeJetStream(std::string job) : names(std::move(job)) {}

  base::Result<std::unique_ptr<nats::Subscription>> subscribe(const std::string& subject,
                                                              const std::string& group,
                                                              nats::MessageSink& sink) override {
    return wire_.subscribe(subject, group, sink);
  }
  base::Status queue(const nats::Message& message) override {
    if (down_count > 0) {
      --down_count;
      return base::fail(base::ErrorCode::kUnavailable, "down");
    }
    if (message.data.size() > bytes_max)
      return base::fail(base::ErrorCode::kResourceExhausted, "too large");
    log.push_back(message.subject + " " + message.data);
    const std::string_view subject = message.subject;
    if (subject.starts_with("$JS.API.CONSUMER.MSG.NEXT.")) {
      deliver_queued(message);
    } else if (subject.starts_with("$JS.ACK.")) {
      if (message.data == "+ACK") ++ack_count;
      if (message.data == "+ACK" && message.reply.empty()) ++unconfirmed_count;
      answer(message, "");
    } else if (subject.starts_with("$JS.API.DIRECT.GET.")) {
      give(message);
    } else if (subject.starts_with("$JS.API.")) {
      answer_api(message);
    } else {
      take(message);
    }
    return {};
  }
  void send() override {}
  base::Status flush(base::Duration) override { return {}; }
  nats::LinkState state() const override { return nats::LinkState::kConnected; }
  std::size_t payload_bytes_max() const override { return bytes_max; }
  std::string make_unique_name() const override { return base::format("UNIQUE{}", ++name_count_); }

  /// Puts a message into the queue, which was delivered so often before.
  void enqueue(std::string subject, std::string data, std::uint64_t deliveries = 0) {
    queued_.push_back({{.subject = std::move(subject), .data = std::move(data)}, deliveries});
  }
  [[nodiscard]] std::size_t held_count() const { return held_.size(); }
  /// Says what was held back, and holds no more.
  void release() {
    holds_answers = false;
    for (const nats::Message& held : std::exchange(held_, {})) (void)wire_.deliver(held);
  }

  const JobNames names;
  std::map<std::string, std::string> results;  ///< by subject, the manifest too
  std::vector<std::string> log;                ///< what was published
  int ack_count = 0;
  int unconfirmed_count = 0;  ///< acknowledgements that ask for no confirmation
  int down_count = 0;         ///< so many of the next messages are refused
  std::size_t bytes_max = 1 << 20;
  bool holds_answers = false;  ///< what is stored is said to be so later, by `release`
  int delivery_count = 0;      ///< of the consumer
  int lost_answers = 0;        ///< so many results are stored without an answer
  bool is_full = false;
  bool takes_no_results = false;  ///< they are neither stored nor refused
  bool is_gone = false;           ///< nobody takes results, and their stream is not there
  bool has_queue = true;
  int lose_after_pulls = 0;  ///< after so many pulls all results and the manifest are lost
  std::uint64_t last_sequence = 0;
  bool is_passed_over = false;  ///< the consumer knows nothing of what is queued, until made anew
  int ghost_count = 0;          ///< messages in flight that are gone, until it is made anew
  std::uint64_t sequence_error_at = UINT64_MAX;  ///< that line is refused once

 private:
  void answer(const nats::Message& to, std::string data, std::vector<nats::Header> headers = {}) {
    if (to.reply.empty()) return;
    wire_.deliver({.subject = to.reply, .data = std::move(data), .headers = std::move(headers)});
  }
  void refuse(const nats::Message& to, int code, std::string_view text) {
    answer(
        to,
        base::format(R"({{"error":{{"code":400,"err_code":{},"description":"{}"}}}})", code, text));
  }
  void deliver_queued(const nats::Message& pull) {
    if (lose_after_pulls > 0 && --lose_after_pulls == 0) results.clear();
    if (queued_.empty() || is_passed_over || ghost_count > 0)
      return answer(pull, "", {{"Status", "408"}});
    auto [message, deliveries] = queued_.front();
    queued_.pop_front();
    message.reply =
        base::format("$JS.ACK.{}.work.{}.1.1.1.0", names.queue_stream(), deliveries + 1);
    // A server delivers to the inbox under the subject of the message.
    wire_.deliver_to(pull.reply, message);
    if (queued_.empty()) return answer(pull, "", {{"Status", "408"}});
    deliver_queued(pull);
  }
  void give(const nats::Message& message) {
    const std::string prefix = base::format("$JS.API.DIRECT.GET.{}.", names.result_stream());
    const auto found = results.find(message.subject.substr(prefix.size()));
    if (found == results.end()) return answer(message, "", {{"Status", "404"}});
    answer(message, found->second);
  }
  void take(const nats::Message& message) {
    if (is_full) return refuse(message, 10077, "maximum bytes exceeded");
    if (message.subject.starts_with(names.queue_prefix())) {
      const auto expected = message.find_header("Nats-Expected-Last-Sequence");
      if (expected && *expected != std::to_string(last_sequence))
        return refuse(message, 10071, "wrong last sequence");
      if (last_sequence == sequence_error_at) {
        sequence_error_at = UINT64_MAX;
        return refuse(message, 10071, "wrong last sequence");
      }
      ++last_sequence;
      enqueue(message.subject, message.data);
      return answer(message, R"({"stream":"Q","seq":1})");
    }
    if (takes_no_results) return answer(message, "no json");
    if (is_gone) {
      if (!message.reply.empty())
        wire_.deliver({.subject = message.reply, .says_no_responders = true});
      return;
    }
    if (!results.emplace(message.subject, message.data).second)
      return refuse(message, 10077, "maximum messages per subject exceeded");
    if (lost_answers > 0) {
      --lost_answers;
      return answer(message, "no json");
    }
    constexpr const char* kStored = R"({"stream":"R","seq":1})";
    if (!holds_answers) return answer(message, kStored);
    held_.push_back({.subject = message.reply, .data = kStored});
  }
  void answer_api(const nats::Message& message) {
    const std::string_view subject = message.subject;
    if (subject.starts_with("$JS.API.STREAM.PURGE.")) {
      const auto order = base::read_json(message.data);
      const auto filter = order ? order->root().find_member("filter") : std::nullopt;
      std::string prefix(filter ? filter->find_string().value_or("") : "");
      if (prefix.empty()) {
        queued_.clear();
      } else {
        prefix.pop_back();
        std::erase_if(results, [&](const auto& one) { return one.first.starts_with(prefix); });
      }
      const auto next = order ? order->root().find_member("seq") : std::nullopt;
      if (next) last_sequence = static_cast<std::uint64_t>(next->find_int().value_or(1) - 1);
    }
    const bool is_queue = subject.ends_with(names.queue_stream());
    if (subject.starts_with("$JS.API.STREAM.DELETE.") && is_queue) {
      queued_.clear();
      last_sequence = 0;
      has_queue = false;
    }
    if (subject.starts_with("$JS.API.STREAM.CREATE.") && is_queue) has_queue = true;
    if (subject.starts_with("$JS.API.STREAM.INFO.") && (is_queue ? !has_queue : is_gone))
      return refuse(message, 10059, "stream not found");
    if (subject.starts_with("$JS.API.CONSUMER.DURABLE.CREATE.")) {
      is_passed_over = false;
      ghost_count = 0;
    }
    const bool is_result = subject.ends_with(names.result_stream());
    std::string subjects;
    if (is_result) {
      const auto document = base::read_json(message.data);
      const auto asked = document ? document->root().find_member("subjects_filter") : std::nullopt;
      std::string filter;
      if (asked) {
        filter = asked->find_string().value_or("");
        filter.pop_back();
      }
      for (const auto& [name, data] : results) {
        if (filter.empty() || !name.starts_with(filter)) continue;
        subjects += base::format(R"({}"{}":1)", subjects.empty() ? "" : ",", name);
      }
    }
    answer(message,
           base::format(R"({{"state":{{"messages":{},"last_seq":{},"subjects":{{{}}}}},"total":0,)"
                        R"("num_pending":{},"num_ack_pending":{},)"
                        R"("delivered":{{"consumer_seq":{},"stream_seq":{}}}}})",
                        is_result ? results.size() : queued_.size(),
                        last_sequence,
                        subjects,
                        is_passed_over ? 0 : queued_.size(),
                        ghost_count,
                        delivery_count,
                        last_sequence));
  }

  nats::testing::FakeLink wire_;
  std::deque<std::pair<nats::Message, std::uint64_t>> queued_;
  std::vector<nats::Message> held_;
  mutable int name_count_ = 0;
};

}  // namespace millrace::jobs::testing
