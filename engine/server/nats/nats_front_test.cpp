#include "server/nats/nats_front.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nats/link_fixture.h"
#include "server/front_fixture.h"

// The thread of the front on a link without a server. The engine stands still: what is posted to
// its loop runs when the test says so.

namespace millrace::server::testing {
namespace {

using nats::testing::FakeLink;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// A loop that keeps what is posted, from any thread, until the test moves it to the engine's.
class KeepingLoop final : public loop::Loop {
 public:
  explicit KeepingLoop(loop::Loop& to) : to_(to) {}
  void post(loop::Job& job) override {
    const base::MutexLock lock(mutex_);
    jobs_.push_back(&job);
  }
  void arm(loop::Timer& timer, base::TimePoint when) override { to_.arm(timer, when); }
  bool disarm(loop::Timer& timer) override { return to_.disarm(timer); }
  const base::Clock& clock() const override { return to_.clock(); }
  std::optional<base::TimePoint> next_deadline() const override { return to_.next_deadline(); }

  std::size_t release_all() {
    std::vector<loop::Job*> jobs;
    {
      const base::MutexLock lock(mutex_);
      jobs.swap(jobs_);
    }
    for (loop::Job* const job : jobs) to_.post(*job);
    return jobs.size();
  }

 private:
  loop::Loop& to_;
  base::Mutex mutex_;
  std::vector<loop::Job*> jobs_ MR_GUARDED_BY(mutex_);
};

class NatsFrontTest : public ::testing::Test {
 protected:
  NatsFrontTest() : rig({}, {.inflight_max = 2}), loop(rig.rank.loop) {
    rig.rank.load(small_plan());
    rig.rank.load(slow_plan());
    (void)rig.front();
  }
  ~NatsFrontTest() override {
    front.stop_receiving();
    pump();
    front.stop();
  }
  void start(NatsSettings settings = {}) {
    settings.link.urls = {"nats://unused"};
    NatsFront::Parts parts{
        .doors = {{&loop, &rig.front()}},
        .admission = rig.admission.get(),
        .readiness = &rig.readiness,
        .metrics = &rig.metrics,
        .log = &rig.log,
        .version = "1.0.0",
        .open = [this](nats::LinkObserver& told) -> base::Result<std::unique_ptr<nats::Link>> {
          observer = &told;
          auto made = std::make_unique<FakeLink>();
          made->on_state_asked = on_state_asked;
          link = made.get();
          return made;
        }};
    ASSERT_TRUE(front.start(std::move(parts), settings));
    front.set_plans({"p", "slow"});
  }
  void become_warm() {
    rig.readiness.expect({}, {"p"});
    rig.readiness.report_plan("p", std::nullopt);
  }
  void start_joined() {
    become_warm();
    start();
    ASSERT_TRUE(comes([&] { return link->joined().size() == 2; }));
  }
  /// Waits for the thread of the front, which needs no time but its turn. The limit is for code
  /// that never gets there.
  template <class Condition>
  [[nodiscard]] ::testing::AssertionResult comes(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end)
        return ::testing::AssertionFailure() << "it did not come within 20 s; "
                                             << link->published().size() << " replies were sent\n"
                                             << metrics();
      std::this_thread::yield();
    }
    return ::testing::AssertionSuccess();
  }
  void pump() {
    while (loop.release_all() > 0 || rig.rank.step()) {
    }
  }
  void deliver(const std::string& plan, std::string data = R"({"user_id":1})") {
    link->deliver({.subject = "rank." + plan, .reply = "inbox", .data = std::move(data)});
  }
  std::string metrics() {
    std::string text;
    observe::append_metrics(rig.metrics.snapshot(), observe::format_for(""), text);
    return text;
  }
  std::vector<std::string> statuses() const {
    std::vector<std::string> all;
    for (const nats::Message& message : link->published())
      all.emplace_back(message.find_header("Rank-Status").value_or("none"));
    return all;
  }

  FrontRig rig;
  KeepingLoop loop;
  FakeLink* link = nullptr;
  nats::LinkObserver* observer = nullptr;
  std::function<void()> on_state_asked;  ///< set before `start`
  NatsFront front;
};

/// Becomes warm while its thread asks for the n-th time whether there is a connection.
class NatsFrontWarmTest : public NatsFrontTest, public ::testing::WithParamInterface<int> {
 protected:
  ~NatsFrontWarmTest() override { front.stop(); }  // its thread asks until then
  std::atomic<int> asked_count{0};
};

TEST_P(NatsFrontWarmTest, NAT1_JoinsInWhateverMomentItBecomesWarm) {
  rig.readiness.expect({}, {"p"});
  on_state_asked = [this] {
    if (asked_count.fetch_add(1) == GetParam()) rig.readiness.report_plan("p", std::nullopt);
  };
  start();
  EXPECT_TRUE(comes([&] { return link->joined().size() == 2; }));
}
// More than the questions of one look.
INSTANTIATE_TEST_SUITE_P(Moments, NatsFrontWarmTest, ::testing::Range(0, 12));

TEST_F(NatsFrontTest, NAT1_JoinsWhenWarmAndFollowsThePlans) {
  start();
  EXPECT_THAT(link->joined(), IsEmpty());
  become_warm();
  ASSERT_TRUE(comes([&] { return link->joined().size() == 2; }));
  EXPECT_THAT(link->joined(), ElementsAre("rank.p rankd", "rank.slow rankd"));
  front.set_plans({"p", "new"});
  ASSERT_TRUE(
      comes([&] { return link->joined().size() == 2 && link->joined()[0] == "rank.new rankd"; }));
}

TEST_F(NatsFrontTest, APlanWhoseNameIsNoSubjectIsReportedAndLeftOut) {
  start_joined();
  front.set_plans({"p", "a b", "x.*", "end."});
  ASSERT_TRUE(comes([&] { return link->joined().size() == 1; }));
  EXPECT_THAT(metrics(), HasSubstr("rankd_nats_plans_not_addressable 3.0\n"));
  std::string log;
  for (const std::string& line : rig.sink.lines()) log += line;
  EXPECT_THAT(log, HasSubstr(R"("event":"plan_not_addressable","plan":"x.*")"));
}

TEST_F(NatsFrontTest, NAT3_EveryRequestGetsOneReplyOrIsCounted) {
  start_joined();
  deliver("p");
  deliver("p", "{bad");
  link->deliver({.subject = "rank.p", .data = "{}"});
  pump();
  ASSERT_TRUE(comes([&] { return link->published().size() == 2; }));
  link->set_state(nats::LinkState::kDown);
  deliver("p");
  pump();
  ASSERT_TRUE(comes([&] { return metrics().find("undeliverable\"} 1") != std::string::npos; }));
  // Nothing of it is sent later.
  link->set_state(nats::LinkState::kConnected);
  deliver("p");
  pump();
  ASSERT_TRUE(comes([&] { return link->published().size() == 3; }));
  EXPECT_THAT(statuses(), UnorderedElementsAre("200", "400", "200"));
  const std::string page = metrics();
  EXPECT_THAT(page, HasSubstr("rankd_nats_received_total 5\n"));
  EXPECT_THAT(page, HasSubstr("rankd_nats_answers_total{outcome=\"replied\"} 3\n"));
  EXPECT_THAT(page, HasSubstr("rankd_nats_answers_total{outcome=\"no_reply\"} 1\n"));
}

TEST_F(NatsFrontTest, NAT4_WhatTheHandOffCannotTakeIsBusyOnTheSpot) {
  start_joined();
  for (std::size_t i = 0; i < NatsFront::kHandOffMax; ++i) deliver("p", "{}");
  EXPECT_THAT(link->published(), IsEmpty());
  deliver("p");
  ASSERT_TRUE(comes([&] { return link->published().size() == 1; }));
  EXPECT_THAT(link->published()[0].data, HasSubstr("urn:millrace:error:busy"));
  EXPECT_THAT(statuses(), ElementsAre("503"));
  EXPECT_THAT(metrics(), HasSubstr("rankd_nats_busy_total{reason=\"full\"} 1\n"));
  pump();
  ASSERT_TRUE(comes([&] { return link->published().size() == NatsFront::kHandOffMax + 1; }));
  deliver("p");
  pump();
  ASSERT_TRUE(comes([&] { return link->published().size() == NatsFront::kHandOffMax + 2; }));
  EXPECT_EQ(statuses().back(), "200");
}

TEST_F(NatsFrontTest, NAT5_AProcessWhoseLoopsAreBehindLeavesToo) {
  start_joined();
  for (std::size_t i = 0; i < NatsFront::kHandOffMax; ++i) deliver("p", "{}");
  // None of them runs yet, so that only the refusals say how full it is.
  std::size_t refused_count = 0;
  ASSERT_TRUE(comes([&] {
    if (link->published_count() == refused_count) {
      deliver("p");
      ++refused_count;
    }
    return link->joined().empty();
  }));
  link->end_leaving();
  pump();
  ASSERT_TRUE(
      comes([&] { return link->published_count() == NatsFront::kHandOffMax + refused_count; }));
}

TEST_F(NatsFrontTest, NAT5_AFullProcessLeavesAndComesBack) {
  start_joined();
  // Two are as many as may be under way; they stay, because the engine stands still.
  deliver("slow");
  deliver("slow");
  loop.release_all();
  while (rig.admission->stats().run_count < 2) ASSERT_TRUE(rig.rank.step()) << "too few run";
  deliver("p");
  loop.release_all();
  while (rig.admission->stats().refused == 0) ASSERT_TRUE(rig.rank.step()) << "none is refused";
  ASSERT_TRUE(comes([&] { return link->joined().empty(); }));
  // What still comes is answered without the engine.
  const std::size_t before = link->published().size();
  deliver("p");
  ASSERT_TRUE(comes([&] { return link->published().size() == before + 1; }));
  EXPECT_EQ(statuses().back(), "503");
  EXPECT_THAT(metrics(), HasSubstr("rankd_nats_busy_total{reason=\"left\"} 1\n"));
  link->end_leaving();
  pump();
  ASSERT_TRUE(comes([&] { return link->joined().size() == 2; }));
  EXPECT_THAT(metrics(), HasSubstr("rankd_nats_group_changes_total{outcome=\"left\"} 1\n"));
  EXPECT_THAT(metrics(), HasSubstr("rankd_nats_group_changes_total{outcome=\"joined\"} 1\n"));
}

TEST_F(NatsFrontTest, NAT4_NAT6_TheReadinessFollowsTheLink) {
  become_warm();
  start({.is_required = true});
  ASSERT_TRUE(comes([&] { return rig.readiness.is_ready(); }));
  link->set_state(nats::LinkState::kDown);
  observer->on_state(nats::LinkState::kDown);
  ASSERT_TRUE(comes([&] { return !rig.readiness.is_ready(); }));
  EXPECT_THAT(rig.readiness.to_text(), HasSubstr("[-]transport nats: there is no connection"));
  link->set_state(nats::LinkState::kConnected);
  observer->on_state(nats::LinkState::kConnected);
  ASSERT_TRUE(comes([&] { return rig.readiness.is_ready(); }));
  observer->on_overflow();
  ASSERT_TRUE(comes([&] { return !rig.readiness.is_ready(); }));
  EXPECT_THAT(metrics(), HasSubstr("rankd_nats_overflows_total 1\n"));
  EXPECT_THAT(metrics(), HasSubstr("rankd_nats_disconnects_total 1\n"));
}

TEST_F(NatsFrontTest, NAT6_WithoutAConnectionHttpIsReadyUnlessNatsIsRequired) {
  become_warm();
  start();
  link->set_state(nats::LinkState::kDown);
  observer->on_state(nats::LinkState::kDown);
  ASSERT_TRUE(
      comes([&] { return rig.readiness.to_text().find("[-]transport") != std::string::npos; }));
  EXPECT_TRUE(rig.readiness.is_ready());
}

TEST_F(NatsFrontTest, NAT7_DrainingAnswersWhatStillComesAndIsThenIdle) {
  start_joined();
  deliver("p");
  front.begin_drain();
  ASSERT_TRUE(comes([&] { return link->joined().empty(); }));
  deliver("p");
  EXPECT_FALSE(front.is_idle());
  link->end_leaving();
  EXPECT_FALSE(front.is_idle()) << "two have no reply yet";
  pump();
  ASSERT_TRUE(comes([&] { return front.is_idle(); }));
  EXPECT_THAT(statuses(), ElementsAre("200", "200"));
}

TEST_F(NatsFrontTest, NothingReachesALoopAfterItStoppedReceiving) {
  start_joined();
  front.stop_receiving();
  EXPECT_EQ(link->deliver({.subject = "rank.p", .reply = "r", .data = "{}"}), 0U);
}

TEST_F(NatsFrontTest, NAT8_AnswersServiceRequests) {
  start_joined();
  ASSERT_TRUE(comes([&] { return link->deliver({.subject = "$SRV.INFO", .reply = "r"}) == 1; }));
  ASSERT_TRUE(comes([&] { return !link->published().empty(); }));
  EXPECT_THAT(link->published()[0].data, HasSubstr(R"("name":"slow","subject":"rank.slow")"));
}

TEST(NatsFrontSettingsTest, SettingsThatCannotWorkLeaveNothingBehind) {
  NatsFront front;  // outlives the registry, as the server's outlives its engine
  base::MetricsRegistry metrics;
  NatsSettings settings;
  settings.link.urls = {"nats://unused"};
  const auto refuse = [](nats::LinkObserver&) -> base::Result<std::unique_ptr<nats::Link>> {
    return base::fail(base::ErrorCode::kInvalidArgument, "no such file");
  };
  EXPECT_FALSE(front.start({.metrics = &metrics, .open = refuse}, settings));
  front.set_plans({"p"});
  front.stop();
  // The registry checks that no cell is left when it ends before the front.
}

TEST(NatsFrontSettingsTest, WithoutServersNothingHappens) {
  NatsFront front;
  EXPECT_TRUE(front.start({}, {}));
  front.set_plans({"p"});
  front.begin_drain();
  EXPECT_TRUE(front.is_idle());
  front.stop();
}

}  // namespace
}  // namespace millrace::server::testing
