#include "jobs/job_names.h"

#include <gtest/gtest.h>

namespace millrace::jobs {
namespace {

TEST(JobNamesTest, NamesAreShortAndPlain) {
  for (const char* good : {"a", "nightly-2026_01", "A0"}) EXPECT_TRUE(is_job_name(good)) << good;
  for (const char* bad : {"", "a.b", "a b", "*", ">", "ä", "a/b"})
    EXPECT_FALSE(is_job_name(bad)) << bad;
  EXPECT_TRUE(is_job_name(std::string(64, 'x')));
  EXPECT_FALSE(is_job_name(std::string(65, 'x')));
}

TEST(JobNamesTest, ASubjectIsALineOnlyInItsOneForm) {
  const JobNames names("j");
  EXPECT_EQ(names.queue_subject(7), "mr.j.q.7");
  EXPECT_EQ(JobNames::line_of("mr.j.q.7", names.queue_prefix()), 7U);
  EXPECT_EQ(JobNames::line_of("mr.j.q.0", names.queue_prefix()), 0U);
  for (const char* bad : {"mr.j.q.",
                          "mr.j.q.07",
                          "mr.j.q.-1",
                          "mr.j.q.7x",
                          "mr.j.r.7",
                          "mr.j.q.1.2",
                          "mr.j.q.99999999999999999999999"})
    EXPECT_FALSE(JobNames::line_of(bad, names.queue_prefix())) << bad;
}

TEST(JobNamesTest, QueuesAreFoundByTheirStreams) {
  EXPECT_EQ(JobNames::job_of_queue("MR_a_b_Q"), "a_b");
  for (const char* bad : {"MR__Q", "MR_Q", "MR_a_R", "X_a_Q", "MR_a.b_Q"})
    EXPECT_FALSE(JobNames::job_of_queue(bad)) << bad;
}

}  // namespace
}  // namespace millrace::jobs
