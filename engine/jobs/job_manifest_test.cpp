#include "jobs/job_manifest.h"

#include <gtest/gtest.h>

namespace millrace::jobs {
namespace {

TEST(JobManifestTest, ReadsWhatItWrites) {
  const JobManifest manifest{.line_count = 5, .digest = "sha256:00", .plan = "home \"x\""};
  const auto read = JobManifest::read(manifest.to_json());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, manifest);
}

TEST(JobManifestTest, AnythingElseIsAnError) {
  for (const char* bad : {"",
                          "{}",
                          "[]",
                          R"({"lines":"5","sha256":"","plan":""})",
                          R"({"lines":-1,"sha256":"","plan":""})",
                          R"({"lines":1,"sha256":"x"})"})
    EXPECT_FALSE(JobManifest::read(bad)) << bad;
}

}  // namespace
}  // namespace millrace::jobs
