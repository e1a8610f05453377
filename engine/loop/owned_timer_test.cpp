#include "loop/owned_timer.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"

namespace millrace::loop {
namespace {

using std::chrono::milliseconds;

struct TimedCounter {
  explicit TimedCounter(Loop& loop) : timer(loop, *this) {}
  void on_timer() {
    ++count;
    if (destroys != nullptr) destroys->reset();
  }

  int count = 0;
  std::optional<TimedCounter>* destroys = nullptr;
  OwnedTimer<TimedCounter, &TimedCounter::on_timer> timer;
};

class OwnedTimerTest : public testing::Test {
 protected:
  base::ManualClock clock_;
  FakeLoop loop_{clock_};
};

TEST_F(OwnedTimerTest, CallsItsMethodOnceAtTheTimeSetLast) {
  TimedCounter counter(loop_);
  counter.timer.start(milliseconds(5));
  counter.timer.start(milliseconds(10));
  loop_.advance(milliseconds(9));
  EXPECT_EQ(counter.count, 0);
  loop_.advance(milliseconds(20));
  EXPECT_EQ(counter.count, 1);
}

TEST_F(OwnedTimerTest, IsSilentAfterStop) {
  TimedCounter counter(loop_);
  counter.timer.start(milliseconds(5));
  counter.timer.stop();
  counter.timer.stop();
  loop_.advance(milliseconds(10));
  EXPECT_EQ(counter.count, 0);
}

TEST_F(OwnedTimerTest, IsDisarmedWithItsOwner) {
  std::optional<TimedCounter> counter(loop_);
  counter->timer.start(milliseconds(5));
  counter.reset();
  loop_.advance(milliseconds(10));
  EXPECT_FALSE(loop_.next_deadline());
}

TEST_F(OwnedTimerTest, ItsMethodMayDestroyTheOwner) {
  std::optional<TimedCounter> counter(loop_);
  counter->destroys = &counter;
  counter->timer.start({});
  loop_.run_ready();
  EXPECT_FALSE(counter);
}

}  // namespace
}  // namespace millrace::loop
