#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/latency_injector.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kData = "HSET h a 1 b 2\nRPUSH l 3 4 5\nRPUSH w x y\nSET s v\n";

TEST(EmbeddedClientTest, HgetallGivesPairsInOrderAndNothingForAMissingKey) {
  StoreRig rig(kData);
  const StoreReply reply = rig.client
                               .answer({.command = StoreCommand::kHashGetAll,
                                        .keys = make_keys({"h", "-"}, rig.scratch.rows())})
                               .value();
  EXPECT_THAT(reply.texts_of(0), ElementsAre("a", "1", "b", "2"));
  EXPECT_TRUE(reply.texts_of(1).empty());
}

TEST(EmbeddedClientTest, HmgetGivesNullForWhatIsMissing) {
  StoreRig rig(kData);
  const std::vector<std::string> fields{"b", "none"};
  const StoreReply reply = rig.client
                               .answer({.command = StoreCommand::kHashGet,
                                        .keys = make_keys({"h", "-"}, rig.scratch.rows()),
                                        .fields = fields})
                               .value();
  EXPECT_EQ(reply.texts_of(0)[0], "2");
  EXPECT_TRUE(is_null(reply.texts_of(0)[1]));
  EXPECT_TRUE(is_null(reply.texts_of(1)[0]));
}

TEST(EmbeddedClientTest, LrangeCutsAtCountInBothForms) {
  StoreRig rig(kData);
  const auto range = [&](ValueForm form) {
    return rig.client
        .answer({.command = StoreCommand::kListRange,
                 .keys = make_keys({"l", "-", "l"}, rig.scratch.rows()),
                 .count = 2,
                 .form = form})
        .value();
  };
  EXPECT_THAT(range(ValueForm::kInt64).integers.span(), ElementsAre(3, 4, 3, 4));
  const StoreReply texts = range(ValueForm::kText);
  EXPECT_THAT(texts.texts_of(2), ElementsAre("3", "4"));
  EXPECT_TRUE(texts.texts_of(1).empty());
}

TEST(EmbeddedClientTest, WrongTypeIsAsInRedis) {
  StoreRig rig(kData);
  const auto code = [&](StoreCommand command) {
    const auto reply = rig.client.answer(
        {.command = command, .keys = make_keys({"w"}, rig.scratch.rows()), .count = 1});
    return reply ? "ok" : reply.error().message().substr(0, 9);
  };
  EXPECT_EQ(code(StoreCommand::kGet), "WRONGTYPE");
  EXPECT_EQ(code(StoreCommand::kHashGet), "WRONGTYPE");
  EXPECT_EQ(code(StoreCommand::kHashGetAll), "WRONGTYPE");
  EXPECT_EQ(code(StoreCommand::kMultiGet), "ok");
  EXPECT_EQ(code(StoreCommand::kListRange), "ok");
}

TEST(EmbeddedClientTest, RepliesOutliveTheClient) {
  StoreReply reply;
  {
    StoreRig rig(kData);
    reply =
        rig.client
            .answer({.command = StoreCommand::kGet, .keys = make_keys({"s"}, rig.scratch.rows())})
            .value();
  }
  EXPECT_EQ(reply.texts_of(0)[0], "v");
}

TEST(EmbeddedClientTest, AnswersNothingOnceTheRunIsOver) {
  StoreRig rig(kData);
  rig.stop.request_stop();
  loop::Outcome<base::Result<StoreReply>> outcome;
  loop::start(rig.loop,
              rig.client.execute(
                  {.command = StoreCommand::kGet, .keys = make_keys({"s"}, rig.scratch.rows())},
                  {.stop = rig.stop.token()}),
              outcome);
  rig.loop.run_ready();
  EXPECT_EQ(outcome.value().error().code(), base::ErrorCode::kCancelled);
}

TEST(EmbeddedClientTest, HasItsAnswersAtHandUnlikeAStoreThatMustWait) {
  StoreRig rig(kData);
  const CommandBatch batch{.command = StoreCommand::kGet,
                           .keys = make_keys({"s"}, rig.scratch.rows())};
  const auto now = rig.client.answer_now(batch, {});
  ASSERT_TRUE(now.has_value());
  EXPECT_EQ(now->value().texts_of(0)[0], "v");
  EXPECT_EQ(rig.client.counters().commands, 1U);
  rig.stop.request_stop();
  EXPECT_EQ(rig.client.answer_now(batch, {.stop = rig.stop.token()})->error().code(),
            base::ErrorCode::kCancelled);
  LatencyInjector slow(rig.client, rig.loop, {});
  EXPECT_FALSE(slow.answer_now(batch, {}).has_value());
}

}  // namespace
}  // namespace millrace::stores::testing
