#include "apps/rankd/suites/suite_report.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::rankd {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

SuiteResults sample() {
  return {.suites = {
              {.file = "a.test.json",
               .problems = {},
               .cases = {{.name = "good", .line = 3, .took = 1500us, .failures = {}},
                         {.name = "bad <1>",
                          .line = 9,
                          .took = 2ms,
                          .failures = {"expected \"x\"", "and y\x01"}}}},
              {.file = "b.test.json", .problems = "b.test.json:1:1: bad_syntax\n", .cases = {}}}};
}

TEST(SuiteReportTest, TextNamesTheLineOfAFailedCase) {
  EXPECT_EQ(to_text(sample()),
            "a.test.json\n"
            "  ok     good (1.5 ms)\n"
            "  FAILED bad <1> (2.0 ms)\n"
            "         a.test.json:9: expected \"x\"\n"
            "         a.test.json:9: and y\x01\n"
            "b.test.json\n"
            "  cannot run:\n"
            "    b.test.json:1:1: bad_syntax\n"
            "1 passed, 2 failed\n");
}

TEST(SuiteReportTest, JsonIsOneLine) {
  const std::string json = to_json(sample());
  EXPECT_THAT(json, HasSubstr(R"({"ok":false,"passed":1,"failed":2,"suites":[)"));
  EXPECT_EQ(json.find('\n'), json.size() - 1);
}

TEST(SuiteReportTest, JunitEscapesWhatXmlDoesNotAllow) {
  const std::string xml = to_junit(sample());
  EXPECT_THAT(xml,
              HasSubstr(R"(<testsuite name="a.test.json" tests="2" failures="1" errors="0">)"));
  EXPECT_THAT(xml, HasSubstr(R"(<testcase name="good" classname="a.test.json" time="0.001500"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(name="bad &lt;1&gt;")"));
  EXPECT_THAT(xml, HasSubstr(R"(<failure message="expected &quot;x&quot;"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(message="and y?")"));
  EXPECT_THAT(xml, HasSubstr("<error>b.test.json:1:1: bad_syntax"));
}

}  // namespace
}  // namespace millrace::rankd
