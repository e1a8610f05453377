#include "rank/run_slot.h"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "runtime/run.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"

namespace millrace::rank {
namespace {

using runtime::RunHandle;
using runtime::RunOutcome;

class RunSlotTest : public ::testing::Test {
 protected:
  /// Starts a run and remembers it, as a pooled run that nobody else uses.
  RunHandle submit() {
    RunHandle handle = lab.submit(dag, notes);
    run = &handle.run();
    return handle;
  }
  /// Finishes everything, and checks that nobody holds the run any more: its storage is used again.
  void expect_all_given_back() {
    lab.settle();
    const RunHandle next = submit();
    lab.settle();
    EXPECT_EQ(dag.runs().created_count(), 1U);
  }

  runtime::TestScheduler lab{{.compute_threads = 1}};
  runtime::TestDag dag{{runtime::noting_node("a")}};
  std::shared_ptr<runtime::Notes> notes = std::make_shared<runtime::Notes>();
  const runtime::Run* run = nullptr;
  RunSlot slot;
};

TEST_F(RunSlotTest, ARequestThatNobodyCancelsIsDeliveredByItsEnd) {
  EXPECT_TRUE(slot.begin());
  EXPECT_TRUE(slot.keep(submit()));
  lab.settle();
  EXPECT_EQ(run->outcome(), RunOutcome::kOk);
  EXPECT_TRUE(slot.end());
  expect_all_given_back();
}

TEST_F(RunSlotTest, C7_CancelReachesTheRun) {
  EXPECT_TRUE(slot.begin());
  EXPECT_TRUE(slot.keep(submit()));
  const RunHandle other = lab.submit(dag, notes);
  slot.cancel();
  slot.cancel();  // once is enough
  lab.settle();
  EXPECT_EQ(other.outcome(), RunOutcome::kOk);
  EXPECT_EQ(notes->text(), "a");  // of the other run
  EXPECT_TRUE(slot.end());
}

TEST_F(RunSlotTest, C7_CancelBeforeTheFirstBeginIsRemembered) {
  slot.cancel();
  EXPECT_FALSE(slot.begin());
  slot.close();
  EXPECT_TRUE(slot.begin());
  EXPECT_FALSE(slot.is_cancelled());
  slot.close();
}

TEST_F(RunSlotTest, C7_CancelDuringTheStartIsSeenOrCancelsTheRun) {
  EXPECT_TRUE(slot.begin());
  EXPECT_FALSE(slot.is_cancelled());
  slot.cancel();
  EXPECT_TRUE(slot.is_cancelled());
  EXPECT_TRUE(slot.keep(submit()));
  lab.settle();
  EXPECT_EQ(notes->text(), "");
  EXPECT_TRUE(slot.end());
  expect_all_given_back();
}

TEST_F(RunSlotTest, AnAnswerThatComesDuringTheStartIsDeliveredByTheStarter) {
  EXPECT_TRUE(slot.begin());
  RunHandle handle = submit();
  lab.settle();
  EXPECT_FALSE(slot.end());
  EXPECT_FALSE(slot.keep(std::move(handle)));
  expect_all_given_back();
}

TEST_F(RunSlotTest, C7_SoIsOneThatACancelCameTooLateFor) {
  EXPECT_TRUE(slot.begin());
  RunHandle handle = submit();
  lab.settle();
  slot.cancel();
  EXPECT_FALSE(slot.end());
  EXPECT_FALSE(slot.keep(std::move(handle)));
  EXPECT_TRUE(slot.begin());
  EXPECT_FALSE(slot.is_cancelled());
  slot.close();
  expect_all_given_back();
}

TEST_F(RunSlotTest, C7_CancelAfterTheEndDoesNotReachTheNextRequest) {
  EXPECT_TRUE(slot.begin());
  EXPECT_TRUE(slot.keep(submit()));
  lab.settle();
  EXPECT_TRUE(slot.end());
  slot.cancel();
  EXPECT_TRUE(slot.begin());
  EXPECT_TRUE(slot.keep(submit()));
  lab.settle();
  EXPECT_EQ(run->outcome(), RunOutcome::kOk);
  EXPECT_TRUE(slot.end());
}

}  // namespace
}  // namespace millrace::rank
