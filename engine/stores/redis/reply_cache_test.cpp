#include "stores/redis/reply_cache.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/embedded_store.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

struct CacheRig : StoreRig {
  CacheRig() : StoreRig("HSET h a 1 b 2\nRPUSH l 3 4 5\n") {}
  StoreReply read(StoreCommand command, std::string_view key, ValueForm form = ValueForm::kText) {
    return client
        .answer({.command = command,
                 .keys = make_keys({"-", key}, scratch.rows()),
                 .count = 9,
                 .form = form})
        .value();
  }
};

TEST(ReplyCacheTest, RED8_GivesCopiesUntilTheyAreTooOld) {
  CacheRig rig;
  ReplyCache cache(10ms, 1 << 20);
  const base::TimePoint now{};
  cache.add(0, "h", rig.read(StoreCommand::kHashGetAll, "h"), 1, now);
  cache.add(1, "l", rig.read(StoreCommand::kListRange, "l", ValueForm::kInt64), 1, now);
  EXPECT_THAT(cache.find(0, "h", now + 9ms)->texts_of(0), ElementsAre("a", "1", "b", "2"));
  EXPECT_THAT(cache.find(1, "l", now)->integers.span(), ElementsAre(3, 4, 5));
  EXPECT_EQ(cache.find(1, "h", now), nullptr);
  EXPECT_EQ(cache.find(0, "h", now + 10ms), nullptr);
  EXPECT_EQ(cache.size(), 1U);
}

TEST(ReplyCacheTest, RED8_KeepsScores) {
  StoreRig rig("ZADD z 1.5 3 2.5 4\n");
  const StoreReply reply = rig.client
                               .answer({.command = StoreCommand::kSortedSetRange,
                                        .keys = make_keys({"-", "z"}, rig.scratch.rows()),
                                        .count = 9,
                                        .form = ValueForm::kInt64,
                                        .reversed = true,
                                        .with_scores = true})
                               .value();
  ReplyCache cache(10ms, 1 << 20);
  cache.add(0, "z", reply, 1, {});
  EXPECT_THAT(cache.find(0, "z", {})->integers.span(), ElementsAre(4, 3));
  EXPECT_THAT(cache.find(0, "z", {})->scores.span(), ElementsAre(2.5, 1.5));
}

TEST(ReplyCacheTest, RED8_BytesAreBoundedAndTheLeastUsedGoes) {
  CacheRig rig;
  ReplyCache cache(1s, 900);
  const StoreReply reply = rig.read(StoreCommand::kHashGetAll, "h");
  const base::TimePoint now{};
  for (const std::string key : {"a", "b", "c"}) {
    static_cast<void>(cache.find(0, "a", now));
    cache.add(0, key, reply, 1, now);
    EXPECT_LE(cache.bytes(), 900U);
  }
  EXPECT_NE(cache.find(0, "a", now), nullptr);
  EXPECT_EQ(cache.find(0, "b", now), nullptr);
  EXPECT_NE(cache.find(0, "c", now), nullptr);
}

TEST(ReplyCacheTest, RED8_ForgetsAllThatIsKnownOfAKey) {
  CacheRig rig;
  ReplyCache cache(1s, 1 << 20);
  const StoreReply reply = rig.read(StoreCommand::kHashGetAll, "h");
  for (std::uint32_t shape = 0; shape < 3; ++shape) cache.add(shape, "h", reply, 1, {});
  cache.add(0, "x", reply, 1, {});
  cache.add(0, "x", reply, 1, {});
  EXPECT_EQ(cache.size(), 4U);
  cache.forget("h");
  EXPECT_EQ(cache.size(), 1U);
  cache.clear();
  EXPECT_EQ(cache.bytes(), 0U);
}

}  // namespace
}  // namespace millrace::stores::testing
