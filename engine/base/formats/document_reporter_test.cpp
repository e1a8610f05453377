#include "base/formats/document_reporter.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/formats/reader_fixture.h"

namespace millrace::base {
namespace {

using DocumentReporterTest = ReaderFixture;

TEST_F(DocumentReporterTest, PlacesAProblemInTheSourceWhenThatIsKnown) {
  use_json("{\"a\":\n  1}");
  reporter_.set_source_file("p.plan.ts");
  const SourceRange source{.line = 7, .column = 6, .end_line = 7, .end_column = 9};
  reporter_.add(SampleCode::kOwn, {.path = "a", .offset = 8, .source = source}, "in source");
  reporter_.add(SampleCode::kOwn, {.path = "b", .offset = 8}, "in the document", "look there");
  EXPECT_EQ(text(),
            "p.plan.ts:7:6: own: in source (at a)\n"
            "2:3: own: in the document (at b); look there\n");
}

TEST_F(DocumentReporterTest, NamesTheFileOfADocument) {
  use_toml("a = 1\n");
  DocumentReporter reporter(document_, report_, codes_, "keys.toml");
  reporter.add(SampleCode::kOwn, {}, "wrong");
  EXPECT_EQ(text(), "keys.toml:1:1: own: wrong\n");
}

TEST_F(DocumentReporterTest, PathsGrowByMembersAndItems) {
  use_json(R"({"a": {"b": [1]}})");
  const JsonValue a = *document_.root().find_member("a");
  const JsonValue b = *a.find_member("b");
  const SourceRange source{.line = 3};
  const ValuePlace place =
      ValuePlace{.source = source}.member(a).member(b).item(0, *b.children().begin());
  EXPECT_EQ(place.path, "a.b[0]");
  EXPECT_EQ(place.offset, 13U);
  EXPECT_EQ(place.source.line, 3U);
}

TEST_F(DocumentReporterTest, HintsAreOnlyMadeForProblemsThatAreShown) {
  use_json("{}");
  std::size_t hint_count = 0;
  const auto make_hint = [&] {
    ++hint_count;
    return std::string("hint");
  };
  for (std::size_t i = 0; i < ProblemReport::kKeptMax + 10; ++i) {
    reporter_.add(SampleCode::kOwn, {}, "wrong", make_hint);
  }
  EXPECT_EQ(hint_count, ProblemReport::kKeptMax);
  EXPECT_EQ(report_.problems().back().hint, "hint");
  EXPECT_EQ(report_.dropped_count(), 10U);
}

}  // namespace
}  // namespace millrace::base
