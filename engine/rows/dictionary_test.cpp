#include "rows/dictionary.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::rows {
namespace {

using ::testing::ElementsAre;

constexpr std::array<std::string_view, 5> kWords = {"pear", "", "apple", "pear", "fig"};

TEST(DictionaryTest, NumbersDistinctValuesInOrderOfAppearance) {
  const DictionaryRef dictionary = make_dictionary(kWords);
  ASSERT_EQ(dictionary->size(), 4);
  EXPECT_EQ(dictionary->at(0), "pear");
  EXPECT_EQ(dictionary->at(1), "");
  EXPECT_EQ(dictionary->at(3), "fig");
}

TEST(DictionaryTest, FindsTheCodeOfAValue) {
  const DictionaryRef dictionary = make_dictionary(kWords);
  EXPECT_EQ(dictionary->find_code("apple"), 2);
  EXPECT_EQ(dictionary->find_code(""), 1);
  EXPECT_FALSE(dictionary->find_code("plum"));
  EXPECT_FALSE(DictionaryBuilder().finish()->find_code("plum"));
}

TEST(DictionaryTest, RanksByBytesNotByCode) {
  const DictionaryRef dictionary = make_dictionary(kWords);
  EXPECT_THAT(dictionary->sort_positions(), ElementsAre(3, 0, 1, 2));
  EXPECT_EQ(dictionary->sort_positions().data(), dictionary->sort_positions().data())
      << "the second call must return the same table";
  EXPECT_TRUE(DictionaryBuilder().finish()->sort_positions().empty());
}

TEST(DictionaryTest, RanksHighBytesAsUnsigned) {
  constexpr std::array<std::string_view, 2> kBytes = {"\xff", "a"};
  EXPECT_THAT(make_dictionary(kBytes)->sort_positions(), ElementsAre(1, 0));
}

TEST(DictionaryTest, HoldsManyValues) {
  DictionaryBuilder builder;
  constexpr std::int32_t kCount = 50'000;
  for (std::int32_t i = 0; i < kCount; ++i) EXPECT_EQ(builder.add(std::to_string(i)), i);
  for (std::int32_t i = 0; i < kCount; ++i) EXPECT_EQ(builder.add(std::to_string(i)), i);
  const DictionaryRef dictionary = builder.finish();
  ASSERT_EQ(dictionary->size(), kCount);
  for (std::int32_t i = 0; i < kCount; i += 997) {
    EXPECT_EQ(dictionary->at(i), std::to_string(i));
    EXPECT_EQ(dictionary->find_code(std::to_string(i)), i);
  }
}

TEST(DictionaryTest, BuilderStartsAfreshAfterFinish) {
  DictionaryBuilder builder;
  EXPECT_EQ(builder.add("a"), 0);
  const DictionaryRef first = builder.finish();
  EXPECT_EQ(builder.size(), 0);
  EXPECT_EQ(builder.add("b"), 0);
  EXPECT_EQ(first->at(0), "a");
}

TEST(DictionaryTest, ThreadsThatRankTogetherSeeOneTable) {
  DictionaryBuilder builder;
  for (int i = 0; i < 1000; ++i) static_cast<void>(builder.add(std::to_string(i * 7919)));
  const DictionaryRef dictionary = builder.finish();
  std::vector<const std::int32_t*> tables(4);
  std::vector<std::thread> threads;
  for (const std::int32_t*& table : tables) {
    threads.emplace_back([&] { table = dictionary->sort_positions().data(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::int32_t* table : tables) EXPECT_EQ(table, dictionary->sort_positions().data());
}

}  // namespace
}  // namespace millrace::rows
