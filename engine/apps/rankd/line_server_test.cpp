#include "apps/rankd/line_server.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(LineServerAdmissionTest, B1_ARequestThatMayNotStartYetWaitsForItsTurn) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.high_water = 1;
  flags.plan_name = "late";
  flags.plan_files = {
      folder.write("late.plan.json", R"({"schema_version": 1, "name": "late", "nodes": [
      {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}},
      {"id": "busy", "op": "busy_cpu", "inputs": ["src"], "params": {"busy_wait_ms": 30}}],
      "outputs": ["busy"], "output_keys": ["id"]})")};
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  // The first two are answered at their deadline while their bodies go on, which closes the gate.
  std::istringstream in(R"({"user_id": 1, "deadline_ms": 1})"
                        "\n"
                        R"({"user_id": 1, "deadline_ms": 1})"
                        "\n"
                        R"({"user_id": 1})"
                        "\n");
  std::ostringstream out;
  EXPECT_FALSE(serve_lines(*engine, in, out));
  EXPECT_THAT(out.str(), Not(HasSubstr(R"("code":"busy")")));
  EXPECT_THAT(out.str(), HasSubstr(R"("candidates":[{"id":1,)"));
}

TEST_F(LineServerTest, EmptyLinesMeanNothing) {
  EXPECT_TRUE(serve("\n  \t\r\n\n"));
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace millrace::rankd::testing
