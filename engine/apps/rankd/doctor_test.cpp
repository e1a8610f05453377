#include "apps/rankd/doctor.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

std::string examine(const Flags& flags, int& exit_code) {
  ::testing::internal::CaptureStdout();
  Output out(STDOUT_FILENO, "stdout");
  exit_code = run_doctor(flags, out);
  return ::testing::internal::GetCapturedStdout();
}

TEST(DoctorTest, CLI3_TriesEverythingAndSaysWhatIsMissing) {
  int exit_code = 0;
  const std::string out = examine(repository_flags(), exit_code);
  EXPECT_THAT(out, HasSubstr("ok    endpoint redis_default: embedded data"));
  EXPECT_THAT(out, HasSubstr("ok    plan complex_dag"));
  EXPECT_THAT(out, HasSubstr("ok    request to complex_dag: answered"));
  // Whether somebody listens there depends on the machine; http_driver_test.cpp has both cases.
  EXPECT_THAT(out, HasSubstr("endpoint web_default: http at 127.0.0.1:8081"));
}

TEST(DoctorTest, CLI13_ShowsSettingsWithTheirSource) {
  Flags flags = *parse({"--max_inline_depth", "3", "--loops", "2"});
  flags.root = MILLRACE_SOURCE_DIR;
  int exit_code = 0;
  const std::string out = examine(flags, exit_code);
  EXPECT_THAT(out, HasSubstr("setting max_inline_depth: 3 (--max_inline_depth)"));
  EXPECT_THAT(out, HasSubstr("setting loops: 2 (--loops)"));
  EXPECT_THAT(out, HasSubstr("setting inline_threshold_us: 50 (default)"));
  EXPECT_THAT(out, HasSubstr("setting no_chaining: false (default)"));
}

TEST(DoctorTest, ARegistryThatCannotBeReadEndsIt) {
  Flags flags = repository_flags();
  flags.registry_dir = "/no/such/folder";
  int exit_code = 0;
  EXPECT_THAT(examine(flags, exit_code), HasSubstr("/no/such/folder"));
  EXPECT_EQ(exit_code, 1);
}

TEST(DoctorTest, ABrokenPlanIsReported) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {folder.write("broken.plan.json", kBrokenPlan)};
  int exit_code = 0;
  const std::string out = examine(flags, exit_code);
  EXPECT_THAT(out, HasSubstr("FAIL  plan file"));
  EXPECT_THAT(out, HasSubstr("nonsense"));
  EXPECT_EQ(exit_code, 1);
}

}  // namespace
}  // namespace millrace::rankd::testing
