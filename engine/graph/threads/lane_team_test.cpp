#include "graph/threads/lane_team.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::graph {
namespace {

/// Calls a function for each item and remembers what ran.
class Recorder final : public TeamWork {
 public:
  explicit Recorder(std::function<bool(std::uint32_t)> body = {}) : body_(std::move(body)) {}
  bool run(std::uint32_t item, std::uint32_t worker) override {
    {
      const base::MutexLock lock(mutex_);
      started_.push_back(item);
      workers_.insert(worker);
      threads_.insert(std::this_thread::get_id());
    }
    return !body_ || body_(item);
  }
  std::vector<std::uint32_t> started() {
    const base::MutexLock lock(mutex_);
    return started_;
  }
  std::set<std::uint32_t> workers() {
    const base::MutexLock lock(mutex_);
    return workers_;
  }
  std::set<std::thread::id> threads() {
    const base::MutexLock lock(mutex_);
    return threads_;
  }

 private:
  std::function<bool(std::uint32_t)> body_;
  base::Mutex mutex_;
  std::vector<std::uint32_t> started_ MR_GUARDED_BY(mutex_);
  std::set<std::uint32_t> workers_ MR_GUARDED_BY(mutex_);
  std::set<std::thread::id> threads_ MR_GUARDED_BY(mutex_);
};

std::vector<TeamItem> items_of(std::size_t count) {
  std::vector<TeamItem> items(count);
  for (std::uint32_t i = 0; i < count; ++i) items[i].group = i;
  return items;
}

TEST(LaneTeam, OneWorkerStartsItemsInOrder) {
  LaneTeam team({.width = 1});
  Recorder work;
  const auto items = items_of(5);
  team.begin(items, work);
  team.finish();
  EXPECT_EQ(work.started(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(LaneTeam, G36_AsManyItemsRunAtOnceAsTheTeamIsWide) {
  for (const bool helps : {false, true}) {
    LaneTeam team({.width = 3, .caller_helps = helps});
    std::barrier all_there(3);  // passes only if three items run at the same time
    Recorder work([&](std::uint32_t) {
      all_there.arrive_and_wait();
      return true;
    });
    const auto items = items_of(9);
    team.begin(items, work);
    team.finish();
    EXPECT_EQ(work.started().size(), 9U);
    EXPECT_EQ(work.workers(), (std::set<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(team.thread_count(), helps ? 2U : 3U);
  }
}

TEST(LaneTeam, G36_ItemsOfAnExclusiveGroupNeverOverlapAndKeepTheirOrder) {
  LaneTeam team({.width = 4});
  std::atomic<int> running{0};
  std::atomic<bool> has_overlapped{false};
  Recorder work([&](std::uint32_t) {
    if (running.fetch_add(1) > 0) has_overlapped = true;
    std::this_thread::yield();
    running.fetch_sub(1);
    return true;
  });
  const std::vector<TeamItem> items(50, {.group = 0, .is_exclusive = true});
  team.begin(items, work);
  team.finish();
  EXPECT_FALSE(has_overlapped);
  EXPECT_TRUE(std::ranges::is_sorted(work.started()));
  EXPECT_EQ(work.started().size(), 50U);
}

TEST(LaneTeam, G36_WhatAWorkerHasTakenAheadIsRunByOthersIfItTakesLong) {
  LaneTeam team({.width = 2, .caller_helps = true, .may_abandon = false});
  const auto items = items_of(64);
  for (int batch = 0; batch < 3; ++batch) {
    Recorder quick;  // items are short, so workers take several at once from then on
    team.begin(items, quick);
    team.finish();
    EXPECT_EQ(quick.started().size(), 64U);
  }
  // The first item ends when all others have: whoever runs it has taken some of these.
  std::latch others(63);
  Recorder work([&](std::uint32_t item) {
    if (item == 0) {
      others.wait();
    } else {
      others.count_down();
    }
    return true;
  });
  team.begin(items, work);
  team.finish();
  auto started = work.started();
  std::ranges::sort(started);
  ASSERT_EQ(started.size(), 64U);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(started[i], i);
}

TEST(LaneTeam, ABatchOfNothingEndsAtOnce) {
  LaneTeam team({.width = 2, .caller_helps = true, .may_abandon = false});
  Recorder work;
  team.begin({}, work);
  team.finish();
  EXPECT_TRUE(work.started().empty());
}

TEST(LaneTeam, AGroupThatFailedGetsNoFurtherItems) {
  LaneTeam team({.width = 2});
  Recorder work([](std::uint32_t item) { return item != 1; });
  const std::vector<TeamItem> items = {{.group = 0, .is_exclusive = true},
                                       {.group = 1, .is_exclusive = true},
                                       {.group = 1, .is_exclusive = true},
                                       {.group = 0, .is_exclusive = true},
                                       {.group = 1, .is_exclusive = true}};
  team.begin(items, work);
  team.finish();
  auto started = work.started();
  std::ranges::sort(started);
  EXPECT_EQ(started, (std::vector<std::uint32_t>{0, 1, 3}));
}

TEST(LaneTeam, G36_TheSameThreadsServeManyBatches) {
  LaneTeam team({.width = 2, .caller_helps = true});
  Recorder work;
  const auto items = items_of(7);
  for (int i = 0; i < 200; ++i) {
    team.begin(items, work);
    team.finish();
  }
  EXPECT_EQ(work.started().size(), 1400U);
  EXPECT_LE(work.threads().size(), 2U);
}

TEST(LaneTeam, G38_ItemsSharedOutByACounterAllRunOnceAndStartInOrder) {
  for (const std::size_t width : {1, 2, 4}) {
    LaneTeam team({.width = width, .caller_helps = true, .may_abandon = false});
    Recorder work;
    for (const std::size_t count : {1, 2, 100, 3}) {
      const std::size_t before = work.started().size();
      const auto items = items_of(count);
      team.begin(items, work);
      team.finish();
      auto started = work.started();
      started.erase(started.begin(), started.begin() + static_cast<std::ptrdiff_t>(before));
      if (width > 1) std::ranges::sort(started);  // starts are noted a little later than they are
      ASSERT_EQ(started.size(), count);
      for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(started[i], i);
    }
  }
}

TEST(LaneTeam, AGroupThatFailedGetsNoFurtherNumbers) {
  LaneTeam team({.width = 1, .may_abandon = false});
  Recorder work([](std::uint32_t item) { return item != 1; });
  const std::vector<TeamItem> items = {
      {.group = 0}, {.group = 1}, {.group = 1}, {.group = 0}, {.group = 1}};
  for (int i = 0; i < 2; ++i) {
    team.begin(items, work);
    team.finish();
  }
  EXPECT_EQ(work.started(), (std::vector<std::uint32_t>{0, 1, 3, 0, 1, 3}));
}

TEST(LaneTeam, G36_ManyBatchesSharedOutByACounterLoseNothing) {
  LaneTeam team({.width = 3, .caller_helps = true, .may_abandon = false});
  std::atomic<std::uint64_t> sum{0};
  Recorder work([&sum](std::uint32_t item) {
    sum.fetch_add(item, std::memory_order_relaxed);
    return true;
  });
  const auto items = items_of(9);
  for (int i = 0; i < 300; ++i) {
    team.begin(items, work);
    team.finish();
    ASSERT_EQ(sum.load(std::memory_order_relaxed), 36U * static_cast<unsigned>(i + 1));
  }
}

TEST(LaneTeam, AnEmptyBatchEndsAtOnce) {
  LaneTeam team({.width = 2});
  Recorder work;
  team.begin({}, work);
  team.finish();
  EXPECT_TRUE(work.started().empty());
}

TEST(LaneTeam, G44_AStuckItemIsGivenUpAndItsWorkerReplaced) {
  auto release = std::make_shared<std::latch>(1);
  auto is_stuck = std::make_shared<std::latch>(1);
  auto has_returned = std::make_shared<std::latch>(1);
  auto work = std::make_shared<Recorder>([release, is_stuck, has_returned](std::uint32_t item) {
    if (item != 0) return true;
    is_stuck->count_down();
    release->wait();
    has_returned->count_down();
    return true;
  });
  {
    LaneTeam team({.width = 1});
    const auto items = items_of(3);
    team.begin(items, *work);
    is_stuck->wait();
    team.abandon(7, true);  // not running: nothing happens
    team.abandon(0, true);
    team.finish();
    EXPECT_EQ(work->started(), (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(team.thread_count(), 1U);
  }  // The team can end while its first thread still hangs.
  release->count_down();
  has_returned->wait();
}

}  // namespace
}  // namespace millrace::graph
