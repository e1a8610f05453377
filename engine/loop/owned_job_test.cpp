#include "loop/owned_job.h"

#include <optional>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"

namespace millrace::loop {
namespace {

struct JobCounter {
  explicit JobCounter(Executor& executor) : job(executor, *this) {}
  void on_job() {
    ++count;
    if (posts_again) job.post();
    if (destroys != nullptr) destroys->reset();
  }

  int count = 0;
  bool posts_again = false;
  std::optional<JobCounter>* destroys = nullptr;
  OwnedJob<JobCounter, &JobCounter::on_job> job;
};

class OwnedJobTest : public testing::Test {
 protected:
  base::ManualClock clock_;
  FakeLoop loop_{clock_};
};

TEST_F(OwnedJobTest, RunsOnceHoweverOftenItIsPosted) {
  JobCounter counter(loop_);
  counter.job.post();
  counter.job.post();
  EXPECT_TRUE(counter.job.is_posted());
  loop_.run_ready();
  EXPECT_EQ(counter.count, 1);
  EXPECT_FALSE(counter.job.is_posted());
}

TEST_F(OwnedJobTest, MayBePostedAgainWhenItRuns) {
  JobCounter counter(loop_);
  counter.posts_again = true;
  counter.job.post();
  loop_.run_one();
  loop_.run_one();
  EXPECT_EQ(counter.count, 2);
  counter.posts_again = false;
  loop_.run_ready();
}

TEST_F(OwnedJobTest, DoesNothingOnceItsOwnerIsGone) {
  std::optional<JobCounter> counter(loop_);
  counter->job.post();
  counter.reset();
  EXPECT_TRUE(loop_.run_one()) << "the loop still had the job";
  EXPECT_FALSE(loop_.run_one());
}

TEST_F(OwnedJobTest, ItsMethodMayDestroyTheOwner) {
  for (const bool posts_again : {false, true}) {
    std::optional<JobCounter> counter(loop_);
    counter->destroys = &counter;
    counter->posts_again = posts_again;
    counter->job.post();
    loop_.run_ready();
    EXPECT_FALSE(counter);
  }
}

}  // namespace
}  // namespace millrace::loop
