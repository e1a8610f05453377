#include "apps/rankd/line_server.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

class LineServerTest : public ::testing::Test {
 protected:
  LineServerTest() {
    flags_.plan_name = "simple_plan";
    project_ = open_project(flags_);
    engine_ = start_engine(flags_, *project_);
  }
  bool serve(const std::string& lines) {
    std::istringstream in(lines);
    out_.str("");
    return serve_lines(*engine_, in, out_);
  }
  Flags flags_ = repository_flags();
  std::unique_ptr<host::Project> project_;
  std::unique_ptr<host::Engine> engine_;
  std::ostringstream out_;
};

TEST_F(LineServerTest, CLI1_OneAnswerPerLineInOrder) {
  EXPECT_TRUE(
      serve("{\"user_id\": 1, \"request_id\": \"a\"}\n{\"user_id\": 2, "
            "\"request_id\": \"b\"}"));
  std::istringstream lines(out_.str());
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr(R"("request_id":"a")"));
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr(R"("request_id":"b")"));
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(LineServerTest, CLI1_ABadLineIsAnsweredAndTheNextServed) {
  EXPECT_FALSE(serve("nonsense\n{\"user_id\": 1}\n"));
  EXPECT_THAT(out_.str(), HasSubstr(R"("code":"bad_json")"));
  EXPECT_THAT(out_.str(), HasSubstr(R"("candidates":[{"id":1,)"));
}

TEST_F(LineServerTest, EmptyLinesMeanNothing) {
  EXPECT_TRUE(serve("\n  \t\r\n\n"));
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace millrace::rankd::testing
