#include "net/http_client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/loop.h"
#include "net/address.h"
#include "net/breaker.h"
#include "net/http_connection.h"
#include "net/http_head.h"
#include "net/http_message.h"
#include "net/stream.h"

namespace millrace::net {
namespace {

using base::Error;
using base::ErrorCode;
using base::fail;
using Outcome = Breaker::Outcome;

constexpr int kTooManyRequests = 429;
constexpr int kServerErrors = 500;
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

/// Fields that decide where a message ends or who it is for; only the client writes them.
constexpr std::array<std::string_view, 4> kOwnFields = {
    "Host", "Content-Length", "Transfer-Encoding", "Connection"};

base::Status check_request(const HttpRequest& request) {
  const auto is_bad = [](char character) {
    const auto byte = static_cast<unsigned char>(character);
    return byte <= ' ' || byte == 0x7f;
  };
  if (!is_http_token(request.method)) {
    return fail(ErrorCode::kInvalidArgument, "Not an HTTP method: " + request.method);
  }
  if (request.target.empty() || std::ranges::any_of(request.target, is_bad)) {
    return fail(ErrorCode::kInvalidArgument, "Not the target of an HTTP request", request.target);
  }
  for (std::size_t i = 0; i < request.fields.size(); ++i) {
    const HttpField field = request.fields[i];
    if (!is_http_token(field.name) || !is_http_field_value(field.value)) {
      return fail(ErrorCode::kInvalidArgument,
                  "Not a field of an HTTP request: " + std::string(field.name));
    }
    if (std::ranges::any_of(kOwnFields,
                            [&](auto own) { return equal_ignoring_case(own, field.name); })) {
      return fail(ErrorCode::kInvalidArgument,
                  "The HTTP client writes this field itself: " + std::string(field.name));
    }
  }
  return {};
}

/// Whether servers expect a length even of an empty body.
bool wants_length(const HttpRequest& request) {
  return !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
         request.method == "PATCH";
}

bool may_repeat(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

Outcome outcome_of(int status) {
  return status >= kServerErrors || status == kTooManyRequests ? Outcome::kFailure
                                                               : Outcome::kSuccess;
}

std::string host_of(const HttpClientOptions& options) {
  if (options.address.is_unix()) return "localhost";
  const std::uint16_t usual = options.connect.tls ? kHttpsPort : kHttpPort;
  std::string host = to_string(options.address);
  if (options.address.port == usual) host.resize(host.rfind(':'));
  return host;
}

}  // namespace

void HttpCall::cancel() {
  if (client_ != nullptr) client_->cancel(*this);
}

void HttpCall::on_timer() { client_->on_call_timer(*this); }

HttpClient::HttpClient(loop::Loop& loop,
                       Connector& connector,
                       base::Random& random,
                       HttpClientOptions options)
    : loop_(loop),
      connector_(connector),
      options_(std::move(options)),
      host_(host_of(options_)),
      breaker_report_(options_.log,
                      cells_.breakers_open,
                      {.endpoint = options_.endpoint, .address = to_string(options_.address)}),
      breaker_(options_.breaker, loop.clock(), random, &breaker_report_),
      pump_timer_(loop, *this) {
  MR_CHECK(options_.inflight_max > 0);
}

HttpClient::~HttpClient() { MR_CHECK(call_count_ == 0, call_count_); }

base::Status HttpClient::send(HttpCall& call, HttpRequest request, const HttpCallOptions& options) {
  MR_CHECK(!call.in_flight());
  MR_TRY_STATUS(check_request(request));
  call.request_ = std::move(request);
  call.options_ = options;
  call.repeated_ = false;
  const bool has_room =
      waiting_.empty() && (!idle_.empty() || connections_.size() < options_.inflight_max);
  if (has_room) {
    MR_TRY_STATUS(dispatch(call));
  } else {
    if (waiting_.size() >= options_.waiting_max) {
      cells_.refused.add();
      return fail(ErrorCode::kResourceExhausted, "Too many HTTP requests wait", host_);
    }
    waiting_.push(options.group, call);
  }
  call.client_ = this;
  ++call_count_;
  call.begun_ = loop_.clock().now();
  const base::TimePoint limit = call.begun_ + options_.request_timeout;
  call.deadline_is_first_ = options.deadline && *options.deadline < limit;
  call.timer_.emplace(loop_, call);
  call.timer_->start_at(call.deadline_is_first_ ? *options.deadline : limit);
  return {};
}

base::Status HttpClient::dispatch(HttpCall& call) {
  call.ticket_ = breaker_.try_begin();
  if (!call.ticket_) {
    cells_.refused.add();
    return fail(ErrorCode::kUnavailable,
                "The HTTP server has failed too often and is left alone for a while",
                host_);
  }
  if (idle_.empty()) {
    start_on(open_connection(), call);
  } else {
    HttpConnection& connection = *idle_.back();
    idle_.pop_back();
    start_on(connection, call);
  }
  return {};
}

void HttpClient::start_on(HttpConnection& connection, HttpCall& call) {
  cells_.requests.add();
  call.connection_ = &connection;
  connection.start(call,
                   text_of(call.request_),
                   call.request_.method,
                   {.header_bytes_max = options_.header_bytes_max,
                    .body_bytes_max = call.options_.body_bytes_max});
}

HttpConnection& HttpClient::open_connection() {
  cells_.connections.add();
  auto& connection = connections_.emplace_back(std::make_unique<HttpConnection>(
      loop_, static_cast<HttpConnectionOwner&>(*this), options_.idle_timeout));
  connection->open(connector_, options_.address, options_.connect);
  return *connection;
}

void HttpClient::pump() {
  // `on_done` may send a call and so come here again; the outer loop goes on for both.
  if (std::exchange(pumping_, true)) return;
  while (!waiting_.empty() && (!idle_.empty() || connections_.size() < options_.inflight_max)) {
    HttpCall& call = *waiting_.try_pop();
    if (const base::Status sent = dispatch(call); !sent) {
      finish(call, std::unexpected(sent.error()), Outcome::kAbandoned);
    }
  }
  pumping_ = false;
}

void HttpClient::give_up(HttpCall& call) {
  if (call.connection_ == nullptr) return waiting_.remove(call.options_.group, call);
  HttpConnection& connection = *call.connection_;
  (void)connection.release();
  drop(connection);
}

void HttpClient::cancel(HttpCall& call) {
  give_up(call);
  end(call, Outcome::kAbandoned);
  if (!waiting_.empty()) pump_timer_.start({});
}

void HttpClient::on_call_timer(HttpCall& call) {
  const char* const message = call.connection_ != nullptr
                                  ? "The HTTP server did not answer in time"
                                  : "No connection to the HTTP server was free in time";
  give_up(call);
  cells_.failed.add();
  finish(call,
         fail(ErrorCode::kTimeout, message, host_),
         call.deadline_is_first_ ? Outcome::kAbandoned : Outcome::kFailure);
  pump();
}

void HttpClient::finish(HttpCall& call, base::Result<HttpReply> reply, Outcome outcome) {
  end(call, outcome);
  call.on_done(std::move(reply));
}

void HttpClient::end(HttpCall& call, Outcome outcome) {
  if (call.ticket_) breaker_.end(*std::exchange(call.ticket_, std::nullopt), outcome);
  call.timer_->stop();
  call.connection_ = nullptr;
  call.client_ = nullptr;
  --call_count_;
}

void HttpClient::on_reply(HttpConnection& connection, HttpReply reply, bool keeps_alive) {
  HttpCall& call = connection.release();
  cells_.replies.add();
  cells_.duration.observe(std::chrono::duration<double>(loop_.clock().now() - call.begun_).count());
  if (keeps_alive && (idle_.size() < options_.idle_max || !waiting_.empty())) {
    connection.rest();
    idle_.push_back(&connection);
  } else {
    drop(connection);
  }
  const Outcome outcome = outcome_of(reply.status);
  finish(call, std::move(reply), outcome);
  pump();
}

void HttpClient::on_broken(HttpConnection& connection, const Error& reason, bool is_stale) {
  HttpCall& call = connection.release();
  const Error error = name_peer(reason);
  drop(connection);
  if (is_stale && !call.repeated_ && may_repeat(call.request_)) {
    call.repeated_ = true;
    cells_.repetitions.add();
    return start_on(open_connection(), call);
  }
  cells_.failed.add();
  // A reply that is too large shows that the server works.
  const Outcome outcome =
      error.code() == ErrorCode::kResourceExhausted ? Outcome::kSuccess : Outcome::kFailure;
  finish(call, std::unexpected(error), outcome);
  pump();
}

void HttpClient::drop(HttpConnection& connection) {
  std::erase(idle_, &connection);
  const auto place = std::ranges::find_if(
      connections_, [&](const auto& each) { return each.get() == &connection; });
  MR_CHECK(place != connections_.end());
  std::swap(*place, connections_.back());
  connections_.pop_back();
}

std::string HttpClient::text_of(const HttpRequest& request) const {
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\nHost: " + host_ + "\r\n";
  const auto add_default = [&](std::string_view name, std::string_view value) {
    if (request.fields.find(name)) return;
    text.append(name).append(": ").append(value).append("\r\n");
  };
  add_default("Accept", "application/json");
  add_default("Accept-Encoding", "identity");
  add_default("User-Agent", "millrace");
  if (!request.body.empty()) add_default("Content-Type", "application/json");
  request.fields.append_to(text);
  if (wants_length(request)) {
    text.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  }
  return text + "\r\n" + request.body;
}

Error HttpClient::name_peer(const Error& error) const {
  return {error.code(), error.message(), error.where().empty() ? host_ : error.where()};
}

}  // namespace millrace::net
