#include "server/serving/serving_loops.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "net/fake_listener.h"
#include "net/http/http_server_fixture.h"
#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using std::chrono_literals::operator""ms;

/// A server of one loop in virtual time; the test plays the clients.
class ServingRig {
 public:
  ServingRig() {
    rig.rank.load(small_plan());
    rig.rank.load(slow_plan());
    rig.rank.ranker =
        std::make_unique<rank::Ranker>(rig.rank.plans, rig.rank.services, rig.rank.options);
    const auto call = [this](loop::Loop& loop, const std::function<void()>& function) {
      call_on_loop(loop, function);
    };
    serving = std::make_unique<ServingLoops>(
        std::vector<loop::Loop*>{&rig.rank.loop}, 100, call, [this](std::size_t index) {
          return std::make_unique<ServingLoop>(
              ServingLoop::Parts{.index = index,
                                 .seed = 1,
                                 .pulses = &rig.pulses,
                                 .services = {.loop = &rig.rank.loop,
                                              .admission = rig.admission.get(),
                                              .readiness = &rig.readiness,
                                              .metrics = &rig.metrics,
                                              .workers = &rig.rank.loop},
                                 .front = {},
                                 .http = {},
                                 .retire = {},
                                 .plans = {.ranker = rig.rank.ranker.get(),
                                           .plans = &rig.rank.plans,
                                           .registry = &rig.rank.registry}});
        });
    const auto opened = serving->listen(
        ListenerKind::kMain,
        [this](net::Acceptor& acceptor) -> base::Result<std::unique_ptr<net::Listener>> {
          auto made = std::make_unique<net::FakeListener>(rig.rank.loop, acceptor);
          listener = made.get();
          return made;
        });
    MR_CHECK(opened.has_value());
  }
  ~ServingRig() {
    is_ending_ = true;
    serving.reset();
  }

  void advance(base::Duration span) {
    const base::TimePoint until = rig.rank.clock.now() + span;
    // Time moves from event to event; this one is there to stop it.
    loop::Timer end([](loop::Timer&) {});
    rig.rank.loop.arm(end, until);
    while (rig.rank.clock.now() < until) MR_CHECK(rig.rank.step());
    (void)rig.rank.step();
    (void)rig.rank.loop.disarm(end);
  }

  FrontRig rig;
  std::unique_ptr<ServingLoops> serving;
  net::FakeListener* listener = nullptr;

 private:
  bool is_ending_ = false;

  void call_on_loop(loop::Loop& loop, const std::function<void()>& function) {
    struct Call : loop::Job {
      explicit Call(const std::function<void()>& called)
          : Job([](Job& job) {
              auto& self = static_cast<Call&>(job);
              self.function();
              self.is_done = true;
            }),
            function(called) {}
      const std::function<void()>& function;
      bool is_done = false;
    };
    Call made(function);
    loop.post(made);
    while (!made.is_done) MR_CHECK(rig.rank.step());
    // The end waits for runs by asking again and again.
    if (is_ending_) (void)rig.rank.step();
  }
};

std::string ask(const std::string& plan) {
  return net::post("/v1/rank/" + plan, R"({"user_id":1})");
}

TEST(ServingLoopsTest, S47_RequestsAfterTheAnnouncementAreServedAndEndTheirConnection) {
  ServingRig rig;
  net::FakePeer& early = rig.listener->connect();
  early.deliver(ask("p"));
  rig.advance(1ms);
  EXPECT_THAT(early.received(), HasSubstr("200 OK"));
  EXPECT_THAT(early.received(), Not(HasSubstr("Connection: close")));
  rig.serving->announce_close();
  net::FakePeer& late = rig.listener->connect();
  late.deliver(ask("p"));
  rig.advance(1ms);
  EXPECT_THAT(late.received(), HasSubstr("200 OK"));
  EXPECT_THAT(late.received(), HasSubstr("Connection: close"));
  EXPECT_FALSE(rig.serving->is_idle()) << "it still listens";
}

TEST(ServingLoopsTest, S47_TheBacklogIsServedAndIdleConnectionsClose) {
  ServingRig rig;
  net::FakePeer& idle = rig.listener->connect();
  idle.deliver(ask("p"));
  rig.advance(1ms);
  net::FakePeer& waiting = rig.listener->connect();
  waiting.deliver(ask("slow"));
  rig.serving->announce_close();
  rig.serving->stop_accepting();
  rig.advance(5ms);
  EXPECT_FALSE(idle.is_open());
  EXPECT_FALSE(rig.serving->is_idle());
  EXPECT_FALSE(rig.listener->connect().is_open());
  rig.advance(50ms);
  EXPECT_THAT(waiting.received(), HasSubstr("200 OK"));
  // The server waits a moment for the end of its client.
  waiting.half_close();
  rig.advance(1ms);
  EXPECT_TRUE(rig.serving->is_idle());
}

TEST(ServingLoopsTest, S47_WhatIsStillUnderWayIsRefusedInTheEnd) {
  ServingRig rig;
  net::FakePeer& client = rig.listener->connect();
  client.deliver(ask("slow"));
  rig.advance(1ms);
  rig.serving->stop_accepting();
  rig.serving->give_up();
  rig.advance(1ms);
  EXPECT_THAT(client.received(), HasSubstr("503 Service Unavailable"));
  EXPECT_THAT(client.received(), HasSubstr("draining"));
}

TEST(ServingLoopsTest, S24_AllLoopsUseWhatIsPublished) {
  ServingRig rig;
  rank::PlanSet none;
  rank::Ranker ranker(none, rig.rig.rank.services, rig.rig.rank.options);
  rig.serving->publish([&](std::size_t) {
    return LoopPlans{.ranker = &ranker, .plans = &none, .registry = &rig.rig.rank.registry};
  });
  net::FakePeer& client = rig.listener->connect();
  client.deliver(ask("p"));
  rig.advance(1ms);
  EXPECT_THAT(client.received(), HasSubstr("404 Not Found"));
  rig.serving->close();
}

TEST(ServingLoopsTest, AListenerThatCannotBeOpenedIsAnError) {
  ServingRig rig;
  const auto opened = rig.serving->listen(
      ListenerKind::kAdmin, [](net::Acceptor&) -> base::Result<std::unique_ptr<net::Listener>> {
        return base::fail(base::ErrorCode::kUnavailable, "taken");
      });
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().to_string(), HasSubstr("taken"));
}

}  // namespace
}  // namespace millrace::server::testing
