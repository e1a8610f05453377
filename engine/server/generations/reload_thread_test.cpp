#include "server/generations/reload_thread.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/generations/reload_fixture.h"

namespace millrace::server::testing {
namespace {

/// A watch whose events a test makes. Time passes by itself: every wait is over at once.
class FakeWatch final : public FolderWatch {
 public:
  void set_folders(const std::vector<std::string>&) override {}
  Event wait(base::TimePoint /*limit*/) override {
    std::this_thread::yield();
    return {.is_changed = changed.exchange(false), .is_woken = true};
  }
  void wake() override {}
  std::atomic<bool> changed{false};
};

struct ThreadRig : ReloadRig {
  ThreadRig() {
    MR_CHECK(start().has_value());
    auto owned = std::make_unique<FakeWatch>();
    watch = owned.get();
    thread = std::make_unique<ReloadThread>(*reloader, std::move(owned));
  }
  /// Asks for a reload and waits for its reply.
  std::future<PlanReloader::Reply> demand() {
    auto promise = std::make_shared<std::promise<PlanReloader::Reply>>();
    thread->demand_reload([promise](PlanReloader::Reply reply) { promise->set_value(reply); });
    return promise->get_future();
  }
  FakeWatch* watch = nullptr;
  std::unique_ptr<ReloadThread> thread;
};

TEST(ReloadThreadTest, S25_DemandsAreJoinedIntoOneReload) {
  ThreadRig rig;
  auto first = rig.demand();
  auto second = rig.demand();
  rig.put("a", rows_plan("a", 2));
  rig.thread->start();
  const auto one = first.get();
  const auto two = second.get();
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, *two);
  EXPECT_THAT(*one, ::testing::HasSubstr(R"("changed":["a"])"));
}

TEST(ReloadThreadTest, S25_AChangeIsEnough) {
  ThreadRig rig;
  rig.thread->start();
  rig.put("a", rows_plan("a", 2));
  rig.watch->changed = true;
  // Orders are done in turn on the same thread, which is where the result may be looked at.
  for (int rows = 0; rows != 2;) {
    std::promise<int> seen;
    rig.thread->post([&](PlanReloader&) {
      seen.set_value(rig.rows("a"));
      return PlanReloader::Reply();
    });
    rows = seen.get_future().get();
  }
}

TEST(ReloadThreadTest, S25_OtherFilesInTheFolderAreNoChange) {
  ThreadRig rig;
  rig.thread->start();
  rig.folder.write("plans/notes.txt", "x");
  rig.watch->changed = true;
  while (rig.watch->changed) std::this_thread::yield();
  // This reload is the first one: had there been one before, its plans would have been published.
  rig.put("a", rows_plan("a", 2));
  ASSERT_TRUE(rig.demand().get());
  rig.thread->stop();
  EXPECT_EQ(rig.publication_count, 2);
}

TEST(ReloadThreadTest, WhoStillWaitsAtTheEndGetsDraining) {
  ThreadRig rig;
  auto waiting = rig.demand();
  rig.thread->stop();
  EXPECT_EQ(waiting.get().error().code, "draining");
  EXPECT_EQ(rig.demand().get().error().code, "draining");
}

}  // namespace
}  // namespace millrace::server::testing
