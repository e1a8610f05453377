#include "graph/record/journal_entry.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "graph/record/record_fixture.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

TEST(JournalEntry, LinesSurviveWhateverTheirBytes) {
  for (const std::optional<std::string>& line : {std::optional<std::string>(),
                                                 std::optional<std::string>(""),
                                                 std::optional<std::string>("{\"a\": 1}\t"),
                                                 std::optional<std::string>("\xC3\xA4 \xFF\x01")}) {
    const auto entry = base::read_json(line_entry(line));
    ASSERT_TRUE(entry);
    EXPECT_EQ(read_line_entry(entry->root()), line);
  }
}

TEST(JournalEntry, LongValuesAreReplacedByTheirDigest) {
  const std::string text(300, 'x');
  const RunText parts{.components = {"id: s, type: core.values, config: {values: [" + text +
                                         ", short]}, execution: {lane: main}",
                                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                                     "execution: {lane: main}"},
                      .edges = {"id: e, kind: immediate, from: s.out, to: o.in"}};
  const RecordedRun recorded = record_run(parts.text(), {});
  EXPECT_THAT(recorded.record, HasSubstr(R"("value":"sha256:)"));
  EXPECT_THAT(recorded.record, HasSubstr(R"({"port":"out","value":"short"})"));
  const std::size_t header = recorded.record.find('\n');
  EXPECT_EQ(recorded.record.find(text, header), std::string::npos);
}

TEST(JournalEntry, MalformedAnswersAreNone) {
  for (const char* text : {R"({})",
                           R"({"error":[1,"a"]})",
                           R"({"error":[99,"a","b"]})",
                           R"({"error":{"a":1,"b":2,"c":3}})",
                           R"({"error":[1,2,"b"]})"}) {
    const auto entry = base::read_json(text);
    ASSERT_TRUE(entry);
    EXPECT_FALSE(read_answer(entry->root())) << text;
  }
}

}  // namespace
}  // namespace millrace::graph
