#include "graph/format/field_reader.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/document_reporter.h"
#include "base/formats/yaml_reader.h"
#include "graph/format/diagnostic.h"
#include "graph/format/limits.h"
#include "graph/format/reporter.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

struct Sample {
  std::string name = "default";
  std::int64_t count = 7;
  Duration wait{};
  bool is_readable = true;
};

/// Reads a sample object and gives its diagnostics, one per line.
std::string read_sample(std::string_view text, Sample& sample) {
  const auto document = base::read_yaml(text);
  EXPECT_TRUE(document);
  DiagnosticReport report;
  const base::OriginPaths origins;
  const GraphLimits limits;
  Reporter reporter(*document, origins, report);
  FieldReader reader(document->root(), limits, reporter);
  reader.readable(sample.is_readable);
  reader.text("name", sample.name, {.about = "a name"});
  reader.integer("count", sample.count, {.about = "a count", .max = 9});
  reader.duration("wait", sample.wait, {.about = "a wait"});
  reader.finish();
  std::string all;
  for (const std::string& line : list_diagnostics(report)) all += line + "\n";
  return all;
}

TEST(FieldReaderTest, FillsWhatIsGivenAndKeepsDefaults) {
  Sample sample;
  EXPECT_EQ(read_sample("{name: x, wait_ms: 3}", sample), "");
  EXPECT_EQ(sample.name, "x");
  EXPECT_EQ(sample.count, 7);
  EXPECT_EQ(sample.wait, std::chrono::milliseconds(3));
  EXPECT_TRUE(sample.is_readable);
}

TEST(FieldReaderTest, ReportsEachMistakeAtItsPlace) {
  Sample sample;
  EXPECT_EQ(read_sample("{name: 1, count: 10, wait: 1, nmae: x}", sample),
            "wrong_type name 1:8\nbad_value count 1:18\nwrong_type wait 1:28\n"
            "unknown_field nmae 1:31\n");
  EXPECT_FALSE(sample.is_readable);
}

TEST(FieldReaderTest, AnUnknownFieldAloneLeavesTheRestReadable) {
  Sample sample;
  EXPECT_EQ(read_sample("{extra: 1}", sample), "unknown_field extra 1:2\n");
  EXPECT_TRUE(sample.is_readable);
}

TEST(FieldReaderTest, CountsNesting) {
  const auto document = base::read_yaml("a: [1, [2], {b: [3]}]");
  ASSERT_TRUE(document);
  EXPECT_EQ(nesting_depth(document->root()), 4U);
}

}  // namespace
}  // namespace millrace::graph
