#include "statements.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::sim {
namespace {

using testing::HasSubstr;

const std::filesystem::path kRoot = MILLRACE_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(kRoot / path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> statements_of_contract() {
  const std::string text = read("docs/contract/scheduler.md");
  const std::regex statement(R"(\n- \*\*([A-Z]\d+|C-cost)\*\*)");
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), statement), end; match != end; ++match)
    found.insert((*match)[1].str());
  return found;
}

/// The code that checks worlds: this folder's own, and the trace validator that it calls.
std::string code_of_judges() {
  std::string code = read("engine/trace/trace_validate.cpp");
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "tests/sim")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".cpp") && !name.ends_with("_test.cpp")) code += read(entry.path());
  }
  return code;
}

TEST(StatementsTest, EveryStatementOfTheContractIsCheckedInWorldsOrByANamedTest) {
  std::multiset<std::string> checked(kCheckedInEveryWorld.begin(), kCheckedInEveryWorld.end());
  for (const CheckedElsewhere& row : kCheckedElsewhere) checked.insert(std::string(row.statement));
  EXPECT_THAT(checked, testing::ElementsAreArray(statements_of_contract()));
}

TEST(StatementsTest, TheJudgesNameWhatTheyCheck) {
  const std::string code = code_of_judges();
  for (const std::string_view statement : kCheckedInEveryWorld) {
    EXPECT_THAT(code, HasSubstr('"' + std::string(statement) + '"'));
  }
}

TEST(StatementsTest, TheOtherTestsExist) {
  for (const CheckedElsewhere& row : kCheckedElsewhere) {
    const std::string code = read(row.file);
    EXPECT_TRUE(code.find("(" + std::string(row.test) + ")") != std::string::npos)
        << row.statement << " should be checked by " << row.test << " in " << row.file;
  }
}

}  // namespace
}  // namespace millrace::sim
