// Every malformed plan of tests/corpus/plans gives exactly the problems that expected.txt says, at
// their places, and every code of an artifact has a case.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "plan/catalog_fixture.h"
#include "plan/compiler.h"
#include "plan/problem.h"

namespace millrace::plan {
namespace {

namespace fs = std::filesystem;

fs::path corpus() { return fs::path(MILLRACE_SOURCE_DIR) / "tests/corpus/plans"; }

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `code line:column` of each case, sorted.
std::map<std::string, std::vector<std::string>> expectations() {
  std::map<std::string, std::vector<std::string>> expected;
  std::istringstream lines(read_file(corpus() / "expected.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(": ");
    std::istringstream problems(line.substr(colon + 2));
    std::vector<std::string>& list = expected[line.substr(0, colon)];
    for (std::string problem; std::getline(problems >> std::ws, problem, ',');) {
      list.push_back(problem);
    }
    std::ranges::sort(list);
  }
  return expected;
}

std::vector<std::string> problems_of(const std::string& bytes) {
  static const StubCatalog catalog = sample_catalog();
  static const Registry registry = sample_registry();
  const auto plan = compile_plan(bytes, registry, catalog);
  if (plan) return {"compiled"};
  std::vector<std::string> list;
  for (const Problem& problem : plan.error().problems()) {
    list.push_back(base::format("{} {}:{}", to_string(problem.code), problem.line, problem.column));
  }
  std::ranges::sort(list);
  return list;
}

TEST(CorpusTest, ART6_ART7_EveryMalformedPlanGivesItsProblemsAtTheirPlaces) {
  const auto expected = expectations();
  for (const auto& [name, problems] : expected) {
    EXPECT_EQ(problems_of(read_file(corpus() / (name + ".json"))), problems) << name;
  }
  std::size_t file_count = 0;
  for (const auto& entry : fs::directory_iterator(corpus())) {
    if (entry.path().extension() != ".json") continue;
    ++file_count;
    EXPECT_TRUE(expected.contains(entry.path().stem())) << entry.path();
  }
  EXPECT_EQ(file_count, expected.size());
  EXPECT_GE(file_count, 120U);
}

TEST(CorpusTest, EveryCodeOfAnArtifactHasACase) {
  std::set<std::string> seen;
  for (const auto& [name, problems] : expectations()) {
    for (const std::string& problem : problems) seen.insert(problem.substr(0, problem.find(' ')));
  }
  for (const ProblemEntry& entry : problem_table()) {
    // Problems of registry files, and of several plans together.
    const bool is_elsewhere =
        entry.code == ProblemCode::kBadToml || entry.code == ProblemCode::kMissingEndpoint ||
        entry.code == ProblemCode::kBadReplacement || entry.code == ProblemCode::kDuplicatePlan ||
        entry.code == ProblemCode::kUnreadableFile;
    const bool is_warning = entry.meaning.starts_with("Warning");  // the plan compiles
    EXPECT_TRUE(is_elsewhere || is_warning || seen.contains(std::string(entry.name))) << entry.name;
  }
}

}  // namespace
}  // namespace millrace::plan
