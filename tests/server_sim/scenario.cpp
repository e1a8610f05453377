#include "scenario.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/random.h"

namespace millrace::server_sim {
namespace {

using base::Duration;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<std::string_view, 3> kPlans = {"quick", "store", "mixed"};

/// Heads that are wrong, and what they are answered.
struct BadHead {
  std::string_view head;
  int status;
};
constexpr std::array<BadHead, 9> kBadHeads = {{
    {"GET /livez HTTP/1.1\nHost: h\n\n", 400},
    {"GET /livez HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", 400},
    {"GET /livez HTTP/1.1\r\n\r\n", 400},
    {"POST /rank HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400},
    {"POST /rank HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
     400},
    {"GET /livez HTTP/1.1\r\nHost : h\r\n\r\n", 400},
    {"GET /livez HTTP/1.1\r\nHost: h\r\n folded: x\r\n\r\n", 400},
    {"GET /livez HTTP/2.0\r\nHost: h\r\n\r\n", 505},
    {"POST /rank HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
}};

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : seed_(seed), random_(mix(seed, 1)) {}

  Scenario draw() {
    Scenario made;
    made.seed = seed_;
    made.loop_count = 1 + random_.below(3);
    made.worker_count = 1 + static_cast<std::uint32_t>(random_.below(3));
    made.connections_max = random_.chance(0.2) ? 2 + random_.below(6) : 1000;
    made.inlines = random_.chance(0.3);
    made.head_timeout = milliseconds(random_.chance(0.5) ? 200 : 5000);
    made.write_timeout = milliseconds(random_.chance(0.5) ? 300 : 10'000);
    made.deadline = milliseconds(500 + random_.below(1500));
    made.admission.inflight_max =
        random_.chance(0.4) ? 1 + static_cast<std::int64_t>(random_.below(8)) : 1024;
    made.admission.class_shares = {1, 0.9, 0.7, 0.5};
    const std::size_t client_count = 1 + random_.below(random_.chance(0.2) ? 60 : 12);
    is_calm_ = random_.chance(0.3);
    for (std::size_t index = 0; index < client_count; ++index)
      made.clients.push_back(draw_client());
    std::ranges::sort(made.clients, {}, &ClientPlan::connect_after);
    for (std::size_t count = random_.below(4); count > 0; --count)
      made.reloads.push_back(milliseconds(random_.below(1500)));
    std::ranges::sort(made.reloads);
    if (random_.chance(0.3)) made.canary_at = milliseconds(random_.below(1000));
    made.drain_after = milliseconds(300 + random_.below(3000));
    made.drain_notice = milliseconds(random_.chance(0.3) ? 0 : random_.below(800));
    made.drain_timeout = milliseconds(random_.chance(0.3) ? random_.below(800) : 30'000);
    return made;
  }

 private:
  ClientPlan draw_client() {
    ClientPlan client;
    client.connect_after = milliseconds(random_.below(2500));
    client.pipelines = random_.chance(0.4);
    client.think = random_.chance(0.5) ? Duration(0) : Duration(milliseconds(random_.below(300)));
    if (random_.chance(0.5)) client.piece_max = 1 + random_.below(random_.chance(0.5) ? 5 : 60);
    const std::size_t ask_count = 1 + random_.below(6);
    for (std::size_t index = 0; index < ask_count; ++index) {
      client.asks.push_back(draw_ask());
      if (client.asks.back().kind == AskKind::kBadHead || client.asks.back().is_last) break;
    }
    if (is_calm_) return client;
    if (client.piece_max > 0 && random_.chance(0.3))
      client.piece_gap = microseconds(random_.below(30'000));
    const double way = random_.unit();
    if (way < 0.2) client.end = ClientEnd::kResets;
    if (way >= 0.2 && way < 0.3) client.end = ClientEnd::kHalfCloses;
    client.end_after = milliseconds(random_.below(400));
    if (random_.chance(0.15)) {
      client.stall_after = milliseconds(random_.below(200));
      client.stall_for = milliseconds(random_.below(1500));
    }
    return client;
  }

  Ask draw_ask() {
    const double way = random_.unit();
    if (way < 0.60) return rank();
    if (way < 0.75) return batch();
    if (way < 0.79) return page(AskKind::kReady, "GET", "/readyz", {200, 503});
    if (way < 0.84) return page(AskKind::kMetrics, "GET", "/metrics", {200});
    if (way < 0.87) return page(AskKind::kPlans, "GET", "/v1/plans", {200});
    if (way < 0.91) return page(AskKind::kUnknownPlan, "GET", "/v1/plans/none", {404});
    if (way < 0.95) return page(AskKind::kBadJson, "POST", "/v1/rank/quick", {400}, "{nonsense");
    return bad_head();
  }

  std::string id_field(std::int64_t user) {
    return "X-Request-Id: r" + std::to_string(user) + "\r\n";
  }
  std::string common_fields(Ask& ask) {
    std::string fields = "Host: h\r\n" + id_field(ask.user);
    ask.is_last = random_.chance(0.08);
    if (ask.is_last) fields += "Connection: close\r\n";
    return fields;
  }

  std::string body_of(std::int64_t user) {
    constexpr std::array<std::string_view, 4> kClasses = {"high", "normal", "low", "background"};
    std::string body = "{\"user_id\":" + std::to_string(user);
    if (random_.chance(0.3)) {
      body += ",\"priority\":\"";
      body += kClasses[random_.below(kClasses.size())];
      body += "\"";
    }
    return body + "}";
  }

  /// The body with its framing, and the end of the head before it.
  std::string framed(const std::string& body) {
    if (!random_.chance(0.4))
      return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    std::string text = "Transfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < body.size();) {
      const std::size_t size = std::min(1 + random_.below(40), body.size() - at);
      constexpr std::string_view kDigits = "0123456789abcdef";
      if (size >= 16) text += kDigits[size / 16];
      text += kDigits[size % 16];
      text += "\r\n" + body.substr(at, size) + "\r\n";
      at += size;
    }
    return text + "0\r\n\r\n";
  }

  Ask rank() {
    Ask ask;
    ask.kind = AskKind::kRank;
    ask.user = next_user_++;
    ask.plan = kPlans[random_.below(kPlans.size())];
    std::string head = "POST /v1/rank/" + ask.plan + " HTTP/1.1\r\n" + common_fields(ask);
    if (random_.chance(0.2)) {
      ask.deadline = milliseconds(1 + random_.below(100));
      head += "X-Deadline-Ms: " +
              std::to_string(std::chrono::duration_cast<milliseconds>(*ask.deadline).count()) +
              "\r\n";
    }
    if (random_.chance(0.05)) head += "Expect: 100-continue\r\n";
    ask.bytes = head + framed(body_of(ask.user));
    return ask;
  }

  Ask batch() {
    Ask ask;
    ask.kind = AskKind::kBatch;
    ask.user = next_user_;
    ask.plan = kPlans[random_.below(kPlans.size())];
    ask.in_input_order = random_.chance(0.5);
    std::string head = "POST /v1/rank/" + ask.plan + "/batch" +
                       (ask.in_input_order ? "" : "?order=done") + " HTTP/1.1\r\n" +
                       common_fields(ask);
    ask.line_count = 1 + random_.below(random_.chance(0.3) ? 40 : 5);
    std::string body;
    for (std::size_t line = 0; line < ask.line_count; ++line)
      body +=
          body_of(next_user_++) + (line + 1 == ask.line_count && random_.chance(0.5) ? "" : "\n");
    ask.bytes = head + framed(body);
    return ask;
  }

  Ask page(AskKind kind,
           std::string_view method,
           std::string_view target,
           std::vector<int> expected,
           const std::string& body = {}) {
    Ask ask;
    ask.kind = kind;
    ask.user = next_user_++;
    ask.expected = std::move(expected);
    ask.bytes = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\n" +
                common_fields(ask) + (body.empty() ? std::string("\r\n") : framed(body));
    return ask;
  }

  Ask bad_head() {
    const BadHead& bad = kBadHeads[random_.below(kBadHeads.size())];
    Ask hidden = rank();
    Ask ask;
    ask.kind = AskKind::kBadHead;
    ask.user = hidden.user;
    ask.expected = {bad.status};
    ask.is_last = true;
    ask.bytes = std::string(bad.head) + hidden.bytes;
    return ask;
  }

  const std::uint64_t seed_;
  base::SplitMix64 random_;
  std::int64_t next_user_ = 1;
  bool is_calm_ = false;
};

}  // namespace

UserFate fate_of(std::uint64_t seed, std::int64_t user) {
  base::SplitMix64 random(mix(seed, 77 + static_cast<std::uint64_t>(user)));
  const double way = random.unit();
  UserFate fate;
  fate.after = microseconds(100 + random.below(way < 0.7 ? 20'000 : 400'000));
  if (way > 0.85) fate.fate = Fate::kFails;
  if (way > 0.93) fate.fate = Fate::kHangs;
  return fate;
}

bool Scenario::is_harmless() const {
  return std::ranges::none_of(clients, [](const ClientPlan& one) { return one.is_difficult(); });
}

Scenario make_scenario(std::uint64_t seed) { return Drawer(seed).draw(); }

Scenario make_open_loop(std::uint64_t seed,
                        double rate,
                        base::Duration span,
                        std::vector<std::pair<base::Duration, base::Duration>> cpu_costs) {
  Scenario made;
  made.seed = seed;
  made.worker_count = 2;
  made.connections_max = 100'000;
  made.admission.class_shares = {1, 0.9, 0.7, 0.5};
  made.head_timeout = seconds(5);
  made.write_timeout = seconds(10);
  made.deadline = seconds(10);
  made.steady_store = milliseconds(20);
  made.cpu_costs = std::move(cpu_costs);
  made.drain_after = span;
  made.drain_timeout = seconds(30);
  base::SplitMix64 random(mix(seed, 1));
  Duration at{};
  for (std::int64_t user = 1; at < span; ++user) {
    at += std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(-std::log(1 - random.unit()) / rate));
    const std::string body = "{\"user_id\":" + std::to_string(user) + "}";
    Ask ask;
    ask.user = user;
    ask.plan = "mixed";
    ask.is_last = true;
    ask.bytes = "POST /v1/rank/mixed HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX-Request-Id: r" +
                std::to_string(user) + "\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body;
    ClientPlan client;
    client.connect_after = at;
    client.asks.push_back(std::move(ask));
    made.clients.push_back(std::move(client));
  }
  return made;
}

std::uint64_t mix(std::uint64_t left, std::uint64_t right) {
  base::SplitMix64 random(left * 0x9E3779B97F4A7C15ULL ^ (right + 0xD1B54A32D192ED03ULL));
  (void)random.next();
  return random.next();
}

}  // namespace millrace::server_sim
