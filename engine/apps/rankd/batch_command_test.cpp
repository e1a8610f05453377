#include "apps/rankd/batch_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::rankd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(BatchCommandTest, JOB9_TheStateIsAShortTable) {
  const std::string text = status_text("nightly",
                                       {.manifest = {.line_count = 10},
                                        .done_count = 7,
                                        .failed_count = 2,
                                        .waiting_count = 1,
                                        .in_flight_count = 2,
                                        .duplicate_count = 3,
                                        .queued_count = 10});
  EXPECT_THAT(text, HasSubstr("total      10\ndone       7\nfailed     2\nwaiting    1\n"));
  EXPECT_THAT(text, HasSubstr("in flight  2\nduplicates 3\n"));
  EXPECT_THAT(text, HasSubstr("after a power cut, submit the file with --repair"));
  EXPECT_THAT(text, Not(HasSubstr("submit was not finished")));
  EXPECT_THAT(status_text("j", {.manifest = {.line_count = 10}, .queued_count = 4}),
              HasSubstr("submit was not finished: 4 of 10 lines are queued"));
}

}  // namespace
}  // namespace millrace::rankd
