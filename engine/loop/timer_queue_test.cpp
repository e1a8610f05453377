#include "loop/timer_queue.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "loop/loop.h"
#include "loop/loop_fixture.h"

namespace millrace::loop {
namespace {

using std::chrono::milliseconds;

base::TimePoint at(int ms) { return base::TimePoint(milliseconds(ms)); }

class RecordingAlarm final : public Alarm {
 public:
  void set(base::TimePoint when) override { settings.emplace_back(when); }
  void clear() override { settings.emplace_back(std::nullopt); }
  std::vector<std::optional<base::TimePoint>> settings;
};

class NumberedTimer : public Timer {
 public:
  NumberedTimer(int number, std::vector<int>& log)
      : Timer(&fire, &drop), number_(number), log_(log) {}

 private:
  static void fire(Timer& timer) {
    auto& self = static_cast<NumberedTimer&>(timer);
    self.log_.push_back(self.number_);
  }
  static void drop(Timer& timer) {
    auto& self = static_cast<NumberedTimer&>(timer);
    self.log_.push_back(-self.number_);
  }
  int number_;
  std::vector<int>& log_;
};

TEST(TimerQueueTest, FiresInOrderOfTimeThenOfArming) {
  std::vector<int> log;
  NumberedTimer one(1, log), two(2, log), three(3, log), four(4, log);
  TimerQueue queue;
  queue.arm(one, at(20));
  queue.arm(two, at(10));
  queue.arm(three, at(10));
  queue.arm(four, at(5));
  while (queue.fire_next(at(20))) {
  }
  EXPECT_EQ(log, (std::vector<int>{4, 2, 3, 1}));
}

TEST(TimerQueueTest, FiresNothingBeforeItsTime) {
  std::vector<int> log;
  NumberedTimer one(1, log);
  TimerQueue queue;
  queue.arm(one, at(10));
  EXPECT_FALSE(queue.fire_next(at(10) - base::Duration(1)));
  EXPECT_TRUE(queue.fire_next(at(10)));
  EXPECT_EQ(log, std::vector<int>{1});
}

TEST(TimerQueueTest, ArmingAgainMovesTheTimerBothWays) {
  std::vector<int> log;
  NumberedTimer one(1, log), two(2, log);
  TimerQueue queue;
  queue.arm(one, at(10));
  queue.arm(two, at(20));
  queue.arm(one, at(30));
  EXPECT_EQ(queue.earliest(), at(20));
  queue.arm(one, at(15));
  EXPECT_EQ(queue.earliest(), at(15));
  EXPECT_EQ(queue.size(), 2u);
  while (queue.fire_next(at(100))) {
  }
  EXPECT_EQ(log, (std::vector<int>{1, 2}));
}

TEST(TimerQueueTest, DisarmTellsWhetherItPreventedTheFiring) {
  std::vector<int> log;
  NumberedTimer one(1, log);
  TimerQueue queue;
  EXPECT_FALSE(queue.disarm(one));
  queue.arm(one, at(10));
  EXPECT_TRUE(queue.disarm(one));
  EXPECT_FALSE(queue.disarm(one));
  EXPECT_FALSE(queue.fire_next(at(10)));
  queue.arm(one, at(10));
  EXPECT_TRUE(queue.fire_next(at(10)));
  EXPECT_FALSE(queue.disarm(one));
}

TEST(TimerQueueTest, AFiringTimerMayArmItselfAgain) {
  TimerQueue queue;
  int count = 0;
  Timer* self = nullptr;
  FunctionTimer timer([&] {
    if (++count < 3) queue.arm(*self, at(10 + count));
  });
  self = &timer;
  queue.arm(timer, at(10));
  EXPECT_TRUE(queue.fire_next(at(10)));
  EXPECT_FALSE(queue.fire_next(at(10)));
  EXPECT_TRUE(queue.fire_next(at(12)));
  EXPECT_TRUE(queue.fire_next(at(12)));
  EXPECT_FALSE(queue.fire_next(at(12)));
  EXPECT_EQ(count, 3);
}

TEST(TimerQueueTest, AFiringTimerMayDestroyItselfAndOthers) {
  TimerQueue queue;
  using AnyTimer = FunctionTimer<std::function<void()>>;
  std::unique_ptr<AnyTimer> first, second;
  first = std::make_unique<AnyTimer>([&] {
    EXPECT_TRUE(queue.disarm(*second));
    second.reset();
    first.reset();
  });
  second = std::make_unique<AnyTimer>([] { FAIL(); });
  queue.arm(*first, at(1));
  queue.arm(*second, at(1));
  while (queue.fire_next(at(1))) {
  }
  EXPECT_EQ(first, nullptr);
}

TEST(TimerQueueTest, DroppingCallsDropInsteadOfFire) {
  std::vector<int> log;
  NumberedTimer one(1, log), two(2, log);
  FunctionTimer silent([&] { FAIL(); });
  TimerQueue queue;
  queue.arm(one, at(2));
  queue.arm(silent, at(1));
  queue.arm(two, at(3));
  while (queue.drop_next()) {
  }
  EXPECT_EQ(log, (std::vector<int>{-1, -2}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(TimerQueueTest, AlarmIsSetOnlyWhenATimerBecomesTheEarliest) {
  std::vector<int> log;
  NumberedTimer one(1, log), two(2, log), three(3, log);
  RecordingAlarm alarm;
  TimerQueue queue(&alarm);
  queue.arm(one, at(20));
  queue.arm(two, at(30));
  queue.arm(three, at(10));
  EXPECT_EQ(alarm.settings, (std::vector<std::optional<base::TimePoint>>{at(20), at(10)}));

  alarm.settings.clear();
  EXPECT_TRUE(queue.disarm(three));
  queue.arm(three, at(15));
  EXPECT_TRUE(alarm.settings.empty()) << "the alarm at 10 is early enough";

  while (queue.fire_next(at(15))) {
  }
  queue.reset_alarm();
  EXPECT_EQ(alarm.settings, (std::vector<std::optional<base::TimePoint>>{at(20)}));

  alarm.settings.clear();
  while (queue.fire_next(at(30))) {
  }
  queue.reset_alarm();
  queue.arm(one, at(50));
  EXPECT_EQ(alarm.settings, (std::vector<std::optional<base::TimePoint>>{std::nullopt, at(50)}));
  EXPECT_TRUE(queue.disarm(one));
}

// The model is an ordered map from (time, order of arming) to the timer's number.
TEST(TimerQueueTest, AgreesWithAnOrderedMapOverRandomOperations) {
  constexpr int kTimerCount = 200;
  base::SplitMix64 random(2024);
  std::vector<int> log, expected;
  std::vector<std::unique_ptr<NumberedTimer>> timers;
  timers.reserve(kTimerCount);
  for (int i = 0; i < kTimerCount; ++i) timers.push_back(std::make_unique<NumberedTimer>(i, log));
  TimerQueue queue;
  using Key = std::pair<base::TimePoint, int>;
  std::map<Key, int> model;
  std::vector<std::optional<Key>> key_of(kTimerCount);
  int now = 0;
  for (int step = 0; step < 50'000; ++step) {
    const auto number = static_cast<int>(random.below(kTimerCount));
    const auto slot = static_cast<std::size_t>(number);
    std::optional<Key>& armed = key_of[slot];
    if (random.chance(0.6)) {
      const Key key{at(now + static_cast<int>(random.below(50))), step};
      if (armed) model.erase(*armed);
      armed = key;
      model.emplace(key, number);
      queue.arm(*timers[slot], key.first);
    } else if (random.chance(0.5)) {
      ASSERT_EQ(queue.disarm(*timers[slot]), armed.has_value());
      if (armed) model.erase(*armed);
      armed.reset();
    } else {
      now += static_cast<int>(random.below(5));
      while (!model.empty() && model.begin()->first.first <= at(now)) {
        expected.push_back(model.begin()->second);
        key_of[static_cast<std::size_t>(model.begin()->second)].reset();
        model.erase(model.begin());
      }
      while (queue.fire_next(at(now))) {
      }
      ASSERT_EQ(log, expected) << "step " << step;
    }
    ASSERT_EQ(queue.size(), model.size());
  }
  EXPECT_GT(log.size(), 1000u);
  while (queue.drop_next()) {
  }
}

TEST(TimerQueueDeathTest, ATimerMustNotBeDestroyedWhileArmed) {
  EXPECT_DEATH(
      {
        TimerQueue queue;
        FunctionTimer timer([] {});
        queue.arm(timer, at(1));
      },
      "heap_index_");
}

}  // namespace
}  // namespace millrace::loop
