#include "plan/artifact/node_reader.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "plan/problem.h"

namespace millrace::plan {
namespace {

/// Reads one node whose id `n` is known to stand at 7:6 of the source.
class NodeReaderTest : public testing::Test {
 protected:
  std::vector<ArtifactNode> read(const std::string& json) {
    auto document = base::read_json(R"({"nodes":[)" + json + "]}");
    EXPECT_TRUE(document);
    document_ = *std::move(document);
    const SpanTable spans{{"n", {.line = 7, .column = 6, .end_line = 7, .end_column = 9}}};
    reporter_.set_source_file("p.plan.ts");
    std::vector<ArtifactNode> nodes;
    const base::JsonValue node = *document_.root().find_member("nodes")->children().begin();
    read_node(node,
              base::ValuePlace{}.child(node),
              {.limits = limits_, .spans = spans, .reporter = reporter_},
              nodes);
    return nodes;
  }

  const ArtifactLimits limits_;
  base::JsonDocument document_;
  ProblemReport report_;
  base::DocumentReporter reporter_{document_, report_, reader_codes()};
};

TEST_F(NodeReaderTest, ART1_ReadsANodeWithItsSlotAndParams) {
  const std::vector<ArtifactNode> nodes =
      read(R"({"id": "n", "op": "take", "inputs": ["a", 5], "params": {"count": 1}})");
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].op.text, "take");
  EXPECT_EQ(nodes[0].inputs.size(), 2U);
  EXPECT_EQ(nodes[0].slots[0].text, "n");
  EXPECT_EQ(nodes[0].params[0].where.source.line, 7U);
  EXPECT_EQ(report_.to_text(), "");
}

TEST_F(NodeReaderTest, ART7_ProblemsOfANodeAreAllPlacedInTheSourceIfItsIdIsKnownThere) {
  EXPECT_EQ(read(R"({"id": "n", "op": 5, "on_failure": {"use": "node"}, "outputs": []})").size(),
            1U);
  EXPECT_EQ(report_.to_text(),
            "p.plan.ts:7:6: wrong_type: Expected string, found int (at nodes[0].op)\n"
            "p.plan.ts:7:6: bad_value: A node has at least one output (at nodes[0].outputs); leave "
            "the field out: the slot is then the id\n"
            "p.plan.ts:7:6: missing_field: Missing field: id (at nodes[0].on_failure)\n");
}

TEST_F(NodeReaderTest, ART6_ANodeIsAnObjectWithIdAndOp) {
  EXPECT_TRUE(read("5").empty());
  EXPECT_EQ(read("{}").size(), 1U);
  EXPECT_EQ(report_.to_text(),
            "1:11: wrong_type: Expected object, found int (at nodes[0])\n"
            "1:11: missing_field: Missing field: id (at nodes[0])\n"
            "1:11: missing_field: Missing field: op (at nodes[0])\n");
}

}  // namespace
}  // namespace millrace::plan
