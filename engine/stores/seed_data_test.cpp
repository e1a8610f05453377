#include "stores/seed_data.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <ios>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

std::string make(const SeedOptions& options) {
  std::ostringstream out;
  EXPECT_TRUE(write_seed_data(options, out).has_value());
  return out.str();
}

TEST(SeedDataTest, SameOptionsGiveSameBytes) {
  EXPECT_EQ(make({.users = 20, .seed = 3}), make({.users = 20, .seed = 3}));
  EXPECT_NE(make({.users = 20, .seed = 3}), make({.users = 20, .seed = 4}));
}

TEST(SeedDataTest, ShippedFileIsWhatTheGeneratorGives) {
  std::ifstream file(MILLRACE_DATA_DIR "/demo.redis", std::ios::binary);
  const std::string shipped{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(shipped == make({})) << "write data/demo.redis again";
}

TEST(SeedDataTest, ListsHaveNoRepeatsAndNotTheUserHimself) {
  const EmbeddedStoreRef store = EmbeddedStore::parse(make({.users = 12}), "made").value();
  for (std::int64_t user = 1; user <= 12; ++user) {
    const auto* entry = store->find_entry("follow:" + std::to_string(user));
    ASSERT_NE(entry, nullptr);
    std::set<std::int64_t> seen{user};
    for (const std::int64_t other : store->integers(*entry)) {
      EXPECT_TRUE(seen.insert(other).second);
      EXPECT_GE(other, 1);
      EXPECT_LE(other, 12);
    }
  }
}

TEST(SeedDataTest, AFewAreFollowedByMany) {
  constexpr std::int64_t kUsers = 300;
  const EmbeddedStoreRef store = EmbeddedStore::parse(make({.users = kUsers}), "made").value();
  std::map<std::int64_t, int> followers;
  int total = 0;
  for (std::int64_t user = 1; user <= kUsers; ++user) {
    for (const std::int64_t other :
         store->integers(*store->find_entry("follow:" + std::to_string(user)))) {
      ++followers[other];
      ++total;
    }
  }
  int most = 0;
  for (const auto& [user, count] : followers) most = std::max(most, count);
  EXPECT_GT(most, 10 * total / static_cast<int>(kUsers));
}

TEST(SeedDataTest, OneUserAloneFollowsNobody) {
  const EmbeddedStoreRef store = EmbeddedStore::parse(make({.users = 1}), "made").value();
  EXPECT_EQ(store->find_entry("follow:1"), nullptr);
  EXPECT_NE(store->find_entry("user:1"), nullptr);
}

TEST(SeedDataTest, RefusesNonsense) {
  std::ostringstream out;
  EXPECT_FALSE(write_seed_data({.users = 0}, out).has_value());
  EXPECT_FALSE(write_seed_data({.media = 0}, out).has_value());
}

}  // namespace
}  // namespace millrace::stores::testing
