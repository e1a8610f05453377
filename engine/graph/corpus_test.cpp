// Every file of tests/corpus/graphs gives exactly the diagnostics that expected.txt says, at their
// paths and places, and every code has a file.

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

#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/diagnostic.h"
#include "graph/format/graph_file.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

namespace fs = std::filesystem;

fs::path corpus_folder() { return fs::path(MILLRACE_SOURCE_DIR) / "tests/corpus/graphs"; }

std::string read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The diagnostics of each file, as `code path line:column`, in order.
std::map<std::string, std::vector<std::string>> expected_diagnostics() {
  std::map<std::string, std::vector<std::string>> expected;
  std::istringstream lines(read_bytes(corpus_folder() / "expected.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(": ");
    std::vector<std::string>& list = expected[line.substr(0, colon)];
    std::istringstream items(line.substr(colon + 2));
    for (std::string item; std::getline(items >> std::ws, item, ',');) {
      if (item != "valid") list.push_back(item);
    }
  }
  return expected;
}

TEST(GraphCorpusTest, G2_G6_G7_G8_EveryFileGivesItsDiagnosticsAtTheirPlaces) {
  const ComponentRegistry registry = builtin_registry();
  const auto expected = expected_diagnostics();
  std::size_t file_count = 0;
  for (const auto& entry : fs::directory_iterator(corpus_folder())) {
    const std::string name = entry.path().filename();
    if (name == "expected.txt") continue;
    ++file_count;
    const auto found = expected.find(name);
    ASSERT_NE(found, expected.end()) << name;
    const CompileResult result = compile_text(read_bytes(entry.path()), format_of(name), registry);
    EXPECT_EQ(list_diagnostics(result.report), found->second) << name;
    EXPECT_EQ(result.graph.has_value(), result.report.error_count() == 0) << name;
  }
  EXPECT_EQ(file_count, expected.size());
  EXPECT_GE(file_count, 100U);
}

TEST(GraphCorpusTest, G7_EveryCodeIsReachable) {
  std::set<std::string> seen;
  for (const auto& [name, list] : expected_diagnostics()) {
    for (const std::string& item : list) seen.insert(item.substr(0, item.find(' ')));
  }
  for (const DiagnosticEntry& entry : diagnostic_table()) {
    EXPECT_TRUE(seen.contains(std::string(entry.name))) << entry.name;
  }
}

TEST(GraphCorpusTest, TheExamplesAreValid) {
  const ComponentRegistry registry = builtin_registry();
  std::size_t count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(MILLRACE_SOURCE_DIR) / "examples/graphs")) {
    if (entry.path().extension() != ".yaml") continue;
    if (entry.path().string().ends_with(".scenario.yaml")) continue;
    ++count;
    const CompileResult result =
        compile_text(read_bytes(entry.path()), TextFormat::kYaml, registry);
    EXPECT_TRUE(result.graph) << entry.path() << "\n" << result.report.to_text("");
  }
  EXPECT_GE(count, 3U);
}

}  // namespace
}  // namespace millrace::graph
