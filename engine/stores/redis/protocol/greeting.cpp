#include "stores/redis/protocol/greeting.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/redis_error.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::stores {

namespace {

constexpr std::uint32_t kResp3 = 3;

bool means_unknown_hello(const RespValue& reply) {
  return reply.text.starts_with("NOPROTO") || reply.text.starts_with("ERR unknown command") ||
         reply.text.starts_with("ERR Protocol version");
}

}  // namespace

std::string Greeting::start() {
  expected_.clear();
  protocol_ = 2;
  tracks_ = false;
  if (settings_.protocol != kResp3) return rest(true);
  std::string out;
  CommandWriter writer(out);
  if (settings_.password.empty()) {
    writer.command({"HELLO", "3"});
  } else {
    const std::string user = settings_.username.empty() ? "default" : settings_.username;
    writer.command({"HELLO", "3", "AUTH", user, settings_.password});
  }
  expected_ = {Step::kHello};
  return out;
}

std::string Greeting::rest(bool with_auth) {
  std::string out;
  CommandWriter writer(out);
  if (with_auth && !settings_.password.empty()) {
    if (settings_.username.empty()) {
      writer.command({"AUTH", settings_.password});
    } else {
      writer.command({"AUTH", settings_.username, settings_.password});
    }
    expected_.push_back(Step::kAuth);
  }
  if (settings_.database != 0) {
    writer.command({"SELECT", std::to_string(settings_.database)});
    expected_.push_back(Step::kSelect);
  }
  if (settings_.tracking && protocol_ == kResp3) {
    writer.command({"CLIENT", "TRACKING", "ON"});
    expected_.push_back(Step::kTracking);
  }
  if (expected_.empty() && protocol_ != kResp3) {
    writer.command({"PING"});
    expected_.push_back(Step::kPing);
  }
  std::ranges::reverse(expected_);
  return out;
}

base::Result<std::string> Greeting::take(const RespValue& reply) {
  if (expected_.empty()) {
    return base::fail(base::ErrorCode::kUnavailable, "The store said more than it was asked");
  }
  const Step step = expected_.back();
  expected_.pop_back();
  if (step == Step::kHello) {
    if (!reply.is_error()) protocol_ = kResp3;
    if (!reply.is_error() || means_unknown_hello(reply)) return rest(protocol_ != kResp3);
  }
  // A server may know RESP3 and not tracking; cached replies then expire by their time alone.
  if (step == Step::kTracking) {
    tracks_ = !reply.is_error();
    return std::string();
  }
  if (reply.is_error()) {
    base::Error error = error_of_reply(reply.text, "");
    return base::fail(base::ErrorCode::kUnavailable,
                      "The store refused the connection: " + error.message());
  }
  return std::string();
}

}  // namespace millrace::stores
