#include "rank/answer/answer_text.h"

#include <string>

#include <gtest/gtest.h>

#include "rank/answer/long_answer_fixture.h"

namespace millrace::rank::testing {
namespace {

// Rows with one key each, so each is two values.
constexpr int kMostRowsOnLoop = kAnswerWeightOnLoopMax / 2;

TEST(AnswerTextTest, LIM6_AShortAnswerIsWrittenOnTheLoop) {
  BusyRig rig;
  rig.load_rows(kMostRowsOnLoop);
  EXPECT_EQ(rig.answered_after(), kAnswerBeginsAfter);
}

TEST(AnswerTextTest, LIM6_ALongOneIsWrittenOnAWorker) {
  BusyRig rig;
  rig.load_rows(kMostRowsOnLoop + 1);
  EXPECT_GE(rig.answered_after(), kWorkersBusyFor);
}

TEST(AnswerTextTest, LIM6_OnlyCandidatesOfTheAnswerCount) {
  BusyRig rig;
  rig.load_rows(kMostRowsOnLoop + 1);
  EXPECT_EQ(rig.answered_after(R"(, "limit": 10)"), kAnswerBeginsAfter);
}

TEST(AnswerTextTest, LIM6_RowsThatAreLookedThroughCount) {
  BusyRig rig;
  rig.load_rows(kAnswerWeightOnLoopMax);
  EXPECT_GE(rig.answered_after(R"(, "limit": 10, "exclude": [7])"), kWorkersBusyFor);
}

TEST(AnswerTextTest, LIM6_LongTextsCountAsManyValues) {
  BusyRig rig;
  const std::string text(4096, 'x');
  rig.load_rows(100,
                node("name", "vm", "src", R"({"out_key": "name", "expr": "')" + text + R"('"})"),
                "name",
                R"(["id", "name"])");
  EXPECT_GE(rig.answered_after(), kWorkersBusyFor);
}

TEST(AnswerTextTest, LIM6_ExplanationsOfManyRowsAreMadeOnAWorker) {
  BusyRig rig;
  rig.load_rows(2000);
  EXPECT_EQ(rig.answered_after(), kAnswerBeginsAfter);
  BusyRig explained;
  explained.load_rows(2000);
  EXPECT_GE(explained.answered_after(R"(, "explain": {"ids": [1, 2, 3, 4, 5, 6, 7, 8, 9]})"),
            kWorkersBusyFor);
}

}  // namespace
}  // namespace millrace::rank::testing
