#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "net/http/http_handler.h"
#include "net/http/http_target.h"
#include "net/http_head.h"

namespace millrace::net {

/// A request that a test asks of a handler, without a connection.
class FakeHttpExchange final : public HttpExchange {
 public:
  explicit FakeHttpExchange(std::string method = "GET", std::string target = "/") {
    head_.method = std::move(method);
    head_.target = std::move(target);
    target_ = split_http_target(head_.target);
  }

  HttpFields& request_fields() { return head_.fields; }
  HttpTimes& request_times() { return times_; }
  std::string peer_name = "127.0.0.1:1";

  /// Asks `handler` and, if it wants the body, gives it `body`.
  void ask(HttpHandler& handler, std::string body = {}) {
    body_ = std::move(body);
    handler.on_request(*this);
    MR_CHECK(is_complete || receiver != nullptr);
    if (is_complete || receiver == nullptr) return;
    if (!wish.in_pieces) return receiver->on_body_end(body_);
    if (!body_.empty()) receiver->on_body_piece(body_);
    if (!is_complete) receiver->on_body_end({});
  }

  HttpReceiver* receiver = nullptr;
  HttpBodyWish wish;
  int status = 0;
  std::string reply_body;
  bool is_complete = false;
  bool was_aborted = false;
  bool closes = false;
  std::size_t waiting_bytes = 0;  ///< what `unsent_bytes` says

  [[nodiscard]] const HttpRequestHead& head() const override { return head_; }
  [[nodiscard]] const HttpTarget& target() const override { return target_; }
  [[nodiscard]] const HttpTimes& times() const override { return times_; }
  [[nodiscard]] const std::string& peer() const override { return peer_name; }
  void receive(HttpReceiver& told, const HttpBodyWish& wanted) override {
    MR_CHECK(receiver == nullptr);
    receiver = &told;
    wish = wanted;
  }
  [[nodiscard]] HttpFields& reply_fields() override { return reply_fields_; }
  void close_after_reply() override { closes = true; }
  bool reply(int with_status, std::string_view body) override {
    begin(with_status);
    reply_body = body;
    is_complete = true;
    return true;
  }
  void begin(int with_status) override {
    MR_CHECK(status == 0);
    status = with_status;
  }
  void write(std::string_view piece) override {
    MR_CHECK(status != 0);
    MR_CHECK(!is_complete);
    reply_body += piece;
  }
  void finish() override {
    MR_CHECK(status != 0);
    MR_CHECK(!std::exchange(is_complete, true));
  }
  void abort() override {
    finish();
    was_aborted = true;
  }
  [[nodiscard]] std::size_t unsent_bytes() const override { return waiting_bytes; }

 private:
  HttpRequestHead head_;
  HttpTarget target_;
  HttpTimes times_;
  HttpFields reply_fields_;
  std::string body_;
};

}  // namespace millrace::net
