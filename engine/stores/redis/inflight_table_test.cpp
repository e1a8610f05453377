#include "stores/redis/inflight_table.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace millrace::stores::testing {
namespace {

Fetch* fetch_number(std::uintptr_t number) { return reinterpret_cast<Fetch*>(number * 64); }

TEST(InflightTableTest, BehavesAsAMapUnderRandomUse) {
  InflightTable table;
  base::SplitMix64 random(3);
  std::set<std::string> names;  // keeps the keys
  for (int i = 0; i < 600; ++i) names.insert("key:" + std::to_string(i));
  std::map<std::string, InflightTable::Entry> expected;
  for (int step = 0; step < 20'000; ++step) {
    const std::string& key = *names.find("key:" + std::to_string(random.below(600)));
    const InflightTable::Entry entry{.hash = InflightTable::hash_of(1, key),
                                     .fetch = fetch_number(1 + random.below(9)),
                                     .key = key,
                                     .shape = 1,
                                     .index = static_cast<std::uint32_t>(random.below(100))};
    const auto found = expected.find(key);
    if (found != expected.end() && random.chance(0.5)) {
      table.remove(found->second);
      expected.erase(found);
      continue;
    }
    bool added = false;
    const InflightTable::Entry& there = table.find_or_add(entry, added);
    EXPECT_EQ(added, found == expected.end());
    if (added) expected.emplace(key, entry);
    EXPECT_EQ(there.fetch, expected.at(key).fetch);
    EXPECT_EQ(there.index, expected.at(key).index);
    ASSERT_EQ(table.size(), expected.size());
  }
  table.clear();
  EXPECT_EQ(table.size(), 0U);
}

TEST(InflightTableTest, ShapesOfTheSameKeyAreDifferentReads) {
  InflightTable table;
  bool added = false;
  for (std::uint32_t shape = 0; shape < 3; ++shape) {
    table.find_or_add({.hash = InflightTable::hash_of(shape, "k"),
                       .fetch = fetch_number(1),
                       .key = "k",
                       .shape = shape,
                       .index = shape},
                      added);
    EXPECT_TRUE(added);
  }
}

TEST(InflightTableTest, HashesDependOnEveryByte) {
  std::set<std::uint64_t> hashes;
  std::string key(40, 'a');
  hashes.insert(InflightTable::hash_of(0, key));
  for (char& letter : key) {
    letter = 'b';
    hashes.insert(InflightTable::hash_of(0, key));
  }
  for (std::size_t size = 0; size < key.size(); ++size) {
    hashes.insert(InflightTable::hash_of(0, key.substr(0, size)));
  }
  EXPECT_EQ(hashes.size(), 81U);
}

}  // namespace
}  // namespace millrace::stores::testing
