#include "server/nats/nats_exchange.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "server/call_headers.h"
#include "server/problem.h"

namespace millrace::server {
namespace {

/// What HTTP's caches and browsers are told means nothing here.
bool is_for_browsers(std::string_view name) {
  return name == "Cache-Control" || name == "X-Content-Type-Options";
}

std::size_t bytes_of(const nats::Message& message) {
  constexpr std::size_t kHeadBytes = 32;  // the version line, and the empty line at the end
  std::size_t bytes = kHeadBytes + message.data.size();
  for (const nats::Header& header : message.headers)
    bytes += header.name.size() + header.value.size() + 4;
  return bytes;
}

nats::Message make_reply(std::string subject,
                         int status,
                         const net::HttpFields& fields,
                         std::string_view body) {
  nats::Message reply{.subject = std::move(subject), .data = std::string(body)};
  reply.headers.push_back({std::string(kNatsStatusHeader), std::to_string(status)});
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_for_browsers(fields[i].name))
      reply.headers.push_back({std::string(fields[i].name), std::string(fields[i].value)});
  }
  return reply;
}

}  // namespace

NatsReply make_nats_problem(const nats::Message& asked,
                            std::string plan,
                            const RequestProblem& problem) {
  net::HttpFields given;
  if (const auto id = asked.find_header("X-Request-Id")) given.add("X-Request-Id", *id);
  const std::string_view id = find_request_id(given).value_or(std::string_view());
  const int status = problem_of(problem.code).status;
  std::string body;
  write_problem(problem, {.request_id = id}, body);
  net::HttpFields fields;
  fields.add("Content-Type", kProblemType);
  if (!id.empty()) fields.add("X-Request-Id", id);
  return {.message = make_reply(asked.reply, status, fields, body),
          .plan = std::move(plan),
          .status = status};
}

NatsExchange::NatsExchange(Front& front,
                           NatsOutbox& outbox,
                           nats::Message message,
                           std::string plan,
                           base::TimePoint arrived)
    : Job([](Job& job) { static_cast<NatsExchange&>(job).start(); }),
      front_(front),
      outbox_(outbox),
      message_(std::move(message)),
      plan_(std::move(plan)) {
  head_.method = "NATS";
  head_.target = message_.subject;
  target_.path = head_.target;
  for (const nats::Header& header : message_.headers) head_.fields.add(header.name, header.value);
  times_ = {.first_byte = arrived, .head_end = arrived, .body_end = arrived};
}

void NatsExchange::start() {
  outbox_.on_taken();
  is_starting_ = true;
  front_.on_message(*this, plan_, message_.data.size());
  if (!has_replied_) {
    MR_CHECK(receiver_ != nullptr);
    receiver_->on_body_end(message_.data);
  }
  is_starting_ = false;
  if (has_replied_) const std::unique_ptr<NatsExchange> over(this);
}

void NatsExchange::receive(net::HttpReceiver& receiver, const net::HttpBodyWish& wish) {
  MR_CHECK(receiver_ == nullptr);
  MR_CHECK(!wish.in_pieces);
  receiver_ = &receiver;
}

bool NatsExchange::reply(int status, std::string_view body) {
  MR_CHECK(!has_replied_);
  has_replied_ = true;
  NatsReply reply{.message = make_reply(message_.reply, status, reply_fields_, body),
                  .plan = plan_,
                  .status = status};
  const std::size_t bytes = bytes_of(reply.message);
  const bool fits = bytes <= outbox_.reply_bytes_max();
  if (!fits) {
    reply = make_nats_problem(
        message_,
        plan_,
        {.code = "response_too_large",
         .detail = base::format("The answer has {} bytes, and the NATS server takes {}; ask for "
                                "fewer candidates or columns",
                                bytes,
                                outbox_.reply_bytes_max())});
    front_.record_oversize(*this, reply.status);
  }
  outbox_.send(std::move(reply));
  if (!is_starting_) const std::unique_ptr<NatsExchange> over(this);
  return fits;
}

void NatsExchange::begin(int status) { MR_CHECK(false, status); }
void NatsExchange::write(std::string_view piece) { MR_CHECK(false, piece.size()); }
void NatsExchange::finish() { MR_CHECK(false); }
void NatsExchange::abort() { MR_CHECK(false); }

}  // namespace millrace::server
