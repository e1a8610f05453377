#include "base/spread_ref.h"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(SpreadRefTest, AReferenceWithItsOwnCountKeepsTheObject) {
  auto shared = std::make_shared<int>(7);
  const std::weak_ptr<int> alive = shared;
  std::shared_ptr<int> own = with_own_count(shared);
  EXPECT_EQ(own.get(), shared.get());
  const auto copy = own;
  EXPECT_EQ(shared.use_count(), 2);  // copies of `own` do not count here
  shared.reset();
  own.reset();
  EXPECT_FALSE(alive.expired());
}

TEST(SpreadRefTest, EachThreadHasAReferenceOfItsOwn) {
  const auto shared = std::make_shared<int>(7);
  const SpreadRef<int> spread(shared);
  const std::shared_ptr<int> here = spread.get();
  EXPECT_EQ(here.use_count(), 2);
  std::thread([&] {
    const std::shared_ptr<int> there = spread.get();
    EXPECT_EQ(there.get(), here.get());
    EXPECT_EQ(here.use_count(), 2);
  }).join();
}

TEST(SpreadRefTest, EmptyByDefault) {
  const SpreadRef<int> spread;
  EXPECT_EQ(spread.get(), nullptr);
}

}  // namespace
}  // namespace millrace::base
