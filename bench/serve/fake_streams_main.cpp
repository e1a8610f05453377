// Answers so many requests over a fake stream, for tools that count instructions.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/serve_project.h"
#include "net/fake_listener.h"
#include "net/fake_peer.h"
#include "net/http/http_server.h"
#include "plan/compiler.h"
#include "rank/loaded_plan.h"
#include "server/front_fixture.h"

namespace millrace::bench {
namespace {

/// The connections and the front of one loop in virtual time, as `rankd serve` has them, and one
/// client.
class FakeServing final : private net::Acceptor {
 public:
  explicit FakeServing(std::int64_t inflight_max)
      : rig_({.log_rule = {.one_in = 0, .errors = false}}, {.inflight_max = inflight_max}),
        http_({.loop = rig_.rank.loop, .wall_clock = rig_.rank.wall_clock}),
        listener_(rig_.rank.loop, *this) {
    add_plan(trivial_plan());
    add_plan(hour_plan());
  }

  /// Sends a request on a new connection and does not wait.
  void start(const std::string& request) {
    listener_.connect().deliver(request);
    rig_.rank.loop.run_ready();
  }
  /// Asks one request after the other on one connection. All answers must begin with this.
  void ask(const std::string& request, std::uint64_t count, std::string_view beginning) {
    net::FakePeer& client = listener_.connect();
    for (std::uint64_t turn = 0; turn < count; ++turn) {
      client.deliver(request);
      std::string answer;
      while (answer.empty()) {
        MR_CHECK(rig_.rank.step(), "Nothing will ever answer this");
        answer = client.take_received();
      }
      MR_CHECK(answer.starts_with(beginning), answer);
    }
  }

 private:
  void add_plan(const std::string& artifact) {
    const auto compiled =
        plan::compile_plan(artifact, rig_.rank.registry, rig_.rank.tasks, plan::CompileOptions());
    MR_CHECK(compiled.has_value(), compiled ? "" : compiled.error().to_text());
    auto loaded = rank::LoadedPlan::load(*compiled, rig_.rank.registry, rig_.rank.tasks);
    MR_CHECK(loaded.has_value(), loaded ? "" : loaded.error().to_string());
    MR_CHECK(rig_.rank.plans.add(*std::move(loaded)).has_value());
  }
  void on_incoming(std::unique_ptr<net::Incoming> incoming) override {
    http_.take(std::move(incoming), rig_.front().handler(server::ListenerKind::kMain));
  }
  void on_accept_paused(const base::Error& /*reason*/) override {}
  void on_listener_closed() override {}

  server::testing::FrontRig rig_;
  net::HttpServer http_;
  net::FakeListener listener_;
};

int answer(std::string_view what, std::uint64_t count) {
  const std::string request = make_request("/v1/rank/trivial", kRankBody);
  if (what == "answer") {
    FakeServing(1024).ask(request, count, "HTTP/1.1 200 ");
    return 0;
  }
  FakeServing serving(1);
  serving.start(make_request("/v1/rank/hour", kRankBody));
  serving.ask(request, count, "HTTP/1.1 503 ");
  return 0;
}

}  // namespace
}  // namespace millrace::bench

int main(int count, char** arguments) {
  const std::string_view what = count == 3 ? arguments[1] : "";
  if (what == "answer" || what == "refusal")
    return millrace::bench::answer(what, std::strtoull(arguments[2], nullptr, 10));
  std::fputs("Usage: serve_fake_streams answer|refusal COUNT\n", stderr);
  return 2;
}
