#include "stores/redis/fetch.h"

#include <chrono>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "stores/redis/redis_fixture.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

/// Takes calls and does nothing with them.
class SilentHost final : public FetchHost {
 public:
  void on_fetched(Fetch&) override { ++fetched; }
  void on_unwanted(Fetch&) override { ++unwanted; }
  base::Status send(RedisCall& call) override {
    calls.push_back(&call);
    return {};
  }
  void withdraw(RedisCall&) override { ++withdrawn; }

  std::vector<RedisCall*> calls;
  int fetched = 0;
  int unwanted = 0;
  int withdrawn = 0;
};
struct CountingWaiter final : FetchWaiter {
  void on_fetched() override { ++told; }
  int told = 0;
};

struct FetchRig : RedisRig {
  std::shared_ptr<Fetch> make() {
    return std::make_shared<Fetch>(
        host,
        loop,
        CommandBatch{.command = StoreCommand::kGet, .keys = make_keys({"a", "b"}, scratch)});
  }
  rows::RowScratch scratch;
  SilentHost host;
};

TEST(FetchTest, TheLastWaiterToGoEndsIt) {
  FetchRig rig;
  const auto fetch = rig.make();
  CountingWaiter one;
  CountingWaiter two;
  fetch->add_waiter(one);
  fetch->add_waiter(two);
  ASSERT_TRUE(fetch->start(rig.scratch, {}));
  EXPECT_FALSE(fetch->is_unshared());
  fetch->remove_waiter(one);
  EXPECT_EQ(rig.host.unwanted, 0);
  fetch->remove_waiter(two);
  EXPECT_EQ(rig.host.unwanted, 1);
  EXPECT_EQ(rig.host.withdrawn, 1);
}

TEST(FetchTest, FailureOfTheWholeReachesAllWaiters) {
  FetchRig rig;
  const auto fetch = rig.make();
  CountingWaiter one;
  fetch->add_waiter(one);
  ASSERT_TRUE(fetch->start(rig.scratch, {}));
  ASSERT_EQ(rig.host.calls.size(), 1U);
  EXPECT_EQ(rig.host.calls[0]->command_count(), 2U);
  rig.host.calls[0]->on_done(base::fail(base::ErrorCode::kUnavailable, "gone"));
  EXPECT_EQ(one.told, 1);
  EXPECT_TRUE(fetch->is_done());
  EXPECT_EQ(fetch->status().error().code(), base::ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace millrace::stores::testing
