#include "stores/line_merger.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/embedded_store.h"

namespace millrace::stores {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The values of a key: of a hash `field=value`, of a sorted set `member@score`.
std::vector<std::string> values_of(std::string_view lines, std::string_view key) {
  const EmbeddedStoreRef store = EmbeddedStore::parse(lines, "f").value();
  const EmbeddedStore::Entry* entry = store->find_entry(key);
  std::vector<std::string> out;
  for (const EmbeddedStore::Text& value : store->values(*entry)) {
    std::string text(store->text(value));
    if (entry->kind == EntryKind::kHash) {
      text.insert(0, std::string(store->field_name(value.field)) + "=");
    }
    if (entry->kind == EntryKind::kSortedSet) {
      text += "@" + std::to_string(store->score(value)).substr(0, 4);
    }
    out.push_back(text);
  }
  return out;
}

TEST(LineMergerTest, HashesOfSeveralLinesAreOneAndTheLastValueCounts) {
  EXPECT_THAT(values_of("HSET h a 1 b 2\nHSET x c 9\nHSET h b 3 d 4\n", "h"),
              ElementsAre("a=1", "b=3", "d=4"));
  EXPECT_THAT(values_of("HSET h a 1 b 2\nHSET x c 9\nHSET h b 3 d 4\n", "x"), ElementsAre("c=9"));
  EXPECT_THAT(values_of("HSET h a 1 a 2\n", "h"), ElementsAre("a=2"));
}

TEST(LineMergerTest, ListsGrowAndTheirItemsStayInTheOrderOfTheLines) {
  EXPECT_THAT(values_of("RPUSH l 1 2\nRPUSH m 7\nRPUSH l 2 3\nRPUSH m 8\n", "l"),
              ElementsAre("1", "2", "2", "3"));
  EXPECT_THAT(values_of("RPUSH l 1 2\nRPUSH m 7\nRPUSH l 2 3\nRPUSH m 8\n", "m"),
              ElementsAre("7", "8"));
}

TEST(LineMergerTest, StringsAreReplacedWhateverTheKeyHeld) {
  EXPECT_THAT(values_of("SET s 1\nSET s 2\n", "s"), ElementsAre("2"));
  EXPECT_THAT(values_of("RPUSH s 1\nRPUSH s 2\nSET s x\n", "s"), ElementsAre("x"));
  EXPECT_THAT(values_of("SET s 2\nSET t 1\nSET s 3\n", "t"), ElementsAre("1"));
}

TEST(LineMergerTest, SetsHaveEachMemberOnceByNumber) {
  EXPECT_THAT(values_of("SADD s 10 9 10\nSET x 1\nSADD s 9 -3\n", "s"),
              ElementsAre("-3", "9", "10"));
  EXPECT_THAT(values_of("SADD s 10 9 b a\n", "s"), ElementsAre("10", "9", "a", "b"));
}

TEST(LineMergerTest, SortedSetsAreByScoreThenByTextAndTheLastScoreCounts) {
  EXPECT_THAT(values_of("ZADD z 2 7 1 10 1 9\nSET x 1\nZADD z 0.5 7 3 8\n", "z"),
              ElementsAre("7@0.50", "10@1.00", "9@1.00", "8@3.00"));
  EXPECT_THAT(values_of("ZADD z 5 a -inf b inf c 0 d -0 e\n", "z"),
              ElementsAre("b@-inf", "d@0.00", "e@-0.0", "a@5.00", "c@inf"));
  EXPECT_THAT(values_of("ZADD z 1 a 2 a 3 a\n", "z"), ElementsAre("a@3.00"));
}

TEST(LineMergerTest, IntegersAreCountedAnewAfterAMerge) {
  const EmbeddedStoreRef store =
      EmbeddedStore::parse("RPUSH l 1\nRPUSH l x\nHSET h a x\nHSET h a 1\n", "f").value();
  EXPECT_FALSE(store->find_entry("l")->all_integers);
  EXPECT_TRUE(store->find_entry("h")->all_integers);
}

TEST(LineMergerTest, ACommandForAnotherTypeIsRefused) {
  const auto error = EmbeddedStore::parse("SADD a 1\nZADD a 1 2\n", "f").error();
  EXPECT_THAT(error.message(), HasSubstr("WRONGTYPE: the key holds a set and not a zset: a"));
  EXPECT_EQ(error.where(), "f:2");
}

TEST(LineMergerTest, ManyLinesOfFewKeysTakeTimeInTheirNumber) {
  // With a copy of the list for each line this would take 10^10 steps.
  std::string lines;
  for (int i = 0; i < 200'000; ++i) {
    lines += (i % 2 == 0 ? "RPUSH a " : "RPUSH b ") + std::to_string(i) + "\n";
  }
  const EmbeddedStoreRef store = EmbeddedStore::parse(lines, "f").value();
  EXPECT_EQ(store->find_entry("a")->count, 100'000);
  EXPECT_EQ(store->integers(*store->find_entry("b")).back(), 199'999);
}

}  // namespace
}  // namespace millrace::stores
