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
  const JsonValue a = *document_.root().find_member("a");
  reporter_.set_source_file("p.plan.ts");
  const SourceRange source{.line = 7, .column = 6, .end_line = 7, .end_column = 9};
  reporter_.add(SampleCode::kOwn, ValuePlace{.source = source}.child(a), "in source");
  reporter_.add(SampleCode::kOwn, ValuePlace{}.child(a), "in the document", "look there");
  EXPECT_EQ(text(),
            "p.plan.ts:7:6: own: in source (at a)\n"
            "2:3: own: in the document (at a); look there\n");
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
  const ValuePlace place = ValuePlace{.source = source}.child(a).child(*b.children().begin());
  EXPECT_EQ(place.offset, 13U);
  EXPECT_EQ(place.source.line, 3U);
  reporter_.add(SampleCode::kOwn, place, "item");
  reporter_.add(SampleCode::kOwn, ValuePlace{}.key(b), "key");
  reporter_.add(SampleCode::kOwn, {.absent_member = "c"}, "absent");
  EXPECT_EQ(text(),
            "3:0: own: item (at a.b[0])\n1:8: own: key (at a.b)\n1:1: own: absent (at c)\n");
}

TEST_F(DocumentReporterTest, AValueFromElsewhereHasThePathItWasWrittenAt) {
  use_json(R"({"a": [{"x": 1}]})");
  const JsonValue item = *document_.root().find_member("a")->children().begin();
  const OriginPaths origins{{item.index(), "templates[0].a[7]"}};
  reporter_.set_origins(origins);
  reporter_.add(SampleCode::kOwn, ValuePlace{}.child(*item.find_member("x")), "moved");
  EXPECT_EQ(text(), "1:14: own: moved (at templates[0].a[7].x)\n");
}

TEST_F(DocumentReporterTest, CountsWhatLeavesAValueUnread) {
  use_json("{}");
  reporter_.add(SampleCode::kUnknownField, {}, "unknown");
  reporter_.warn(SampleCode::kOwn, {}, "warning");
  EXPECT_EQ(reporter_.unread_count(), 0U);
  reporter_.add(SampleCode::kOwn, {}, "wrong");
  EXPECT_EQ(reporter_.unread_count(), 1U);
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
