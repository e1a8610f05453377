#include "stores/latency_injector.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;

using std::chrono_literals::operator""ms;

class InjectorRig : public StoreRig {
 public:
  explicit InjectorRig(std::vector<LatencyRule> rules)
      : StoreRig("SET s v\nRPUSH follow:1 1\nRPUSH media:1 2\n"),
        injector(client, loop, std::move(rules)) {}

  void ask(StoreCommand command,
           std::string_view key,
           loop::Outcome<base::Result<StoreReply>>& to) {
    CommandBatch batch{.command = command, .keys = make_keys({key}, scratch.rows()), .count = 9};
    loop::start(
        loop, injector.execute(std::move(batch), {.stop = stop.token(), .deadline = deadline}), to);
    loop.run_ready();
  }

  LatencyInjector injector;
};

TEST(LatencyInjectorTest, AnswersAfterTheDelayOfTheFirstRuleThatFits) {
  InjectorRig rig({{.command = StoreCommand::kListRange, .key_prefix = "follow:", .delay = 15ms},
                   {.command = StoreCommand::kListRange, .delay = 20ms}});
  loop::Outcome<base::Result<StoreReply>> follow;
  loop::Outcome<base::Result<StoreReply>> media;
  rig.ask(StoreCommand::kListRange, "follow:1", follow);
  rig.ask(StoreCommand::kListRange, "media:1", media);
  rig.loop.advance(15ms);
  EXPECT_TRUE(follow.is_done());
  EXPECT_FALSE(media.is_done());
  rig.loop.advance(5ms);
  EXPECT_THAT(media.value().value().texts_of(0), ElementsAre("2"));
}

TEST(LatencyInjectorTest, FailsAndTimesOut) {
  InjectorRig rig({{.key_prefix = "s", .delay = 5ms, .fate = Fate::kFail},
                   {.key_prefix = "t", .delay = 5ms, .fate = Fate::kTimeout}});
  loop::Outcome<base::Result<StoreReply>> down;
  loop::Outcome<base::Result<StoreReply>> late;
  rig.ask(StoreCommand::kGet, "s", down);
  rig.ask(StoreCommand::kGet, "t", late);
  rig.loop.advance(5ms);
  EXPECT_EQ(down.value().error().code(), base::ErrorCode::kUnavailable);
  EXPECT_EQ(late.value().error().code(), base::ErrorCode::kTimeout);
}

TEST(LatencyInjectorTest, HangsUntilTheRunIsOver) {
  InjectorRig rig({{.fate = Fate::kHang}});
  loop::Outcome<base::Result<StoreReply>> outcome;
  rig.ask(StoreCommand::kGet, "s", outcome);
  rig.loop.advance(3'600'000ms);
  EXPECT_FALSE(outcome.is_done());
  rig.stop.request_stop();
  rig.loop.run_ready();
  EXPECT_EQ(outcome.value().error().code(), base::ErrorCode::kCancelled);
}

TEST(LatencyInjectorTest, DeadlineEndsTheWait) {
  InjectorRig rig({{.delay = 50ms}});
  rig.deadline = rig.clock.now() + 10ms;
  loop::Outcome<base::Result<StoreReply>> outcome;
  rig.ask(StoreCommand::kGet, "s", outcome);
  rig.loop.advance(10ms);
  EXPECT_EQ(outcome.value().error().code(), base::ErrorCode::kTimeout);
}

}  // namespace
}  // namespace millrace::stores::testing
