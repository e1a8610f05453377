#include "graph/record/record_file.h"

#include <cstddef>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/record/record_fixture.h"
#include "graph/run/run_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

std::string a_record() {
  const RunText parts{
      .components = {"id: s, type: core.counter, config: {count: 2}, execution: {lane: main}",
                     "id: o, type: core.output, trigger_policy: {type: any_input}, execution: "
                     "{lane: main}"},
      .edges = {"id: so, kind: delay, from: s.out, to: o.in"}};
  return record_run(parts.text(), {}).record;
}

std::string why(const std::string& record) {
  std::istringstream stream(record);
  const auto file = read_record(stream);
  return file ? "good" : file.error().message() + " at " + file.error().where();
}

TEST(RecordFile, G69_ARecordSaysThatItIsComplete) {
  const std::string record = a_record();
  EXPECT_EQ(why(record), "good");
  // Cut at every line, and in the middle of every line.
  for (std::size_t end = 0; end < record.size(); end += end % 7 == 0 ? 1 : 13) {
    EXPECT_NE(why(record.substr(0, end)), "good") << end;
  }
  const std::size_t last = record.rfind('\n', record.size() - 2) + 1;
  EXPECT_THAT(why(record.substr(0, last)), HasSubstr("does not say that it is complete"));
  EXPECT_THAT(why(sign_again(record + record.substr(last))), HasSubstr("after the one that ends"));
  EXPECT_THAT(why(""), HasSubstr("empty"));
}

TEST(RecordFile, G55_AFlippedByteIsFoundWithItsPlace) {
  const std::string record = a_record();
  for (std::size_t i = 0; i < record.size(); ++i) {
    std::string bad = record;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_THAT(why(bad), HasSubstr("line ")) << i;
  }
}

TEST(RecordFile, MalformedRecordsAreClearErrors) {
  const std::string record = a_record();
  const auto with = [&record](const std::string& old, const std::string& by) {
    return why(sign_again(replaced(record, old, by)));
  };
  EXPECT_THAT(with("millrace-graph-record", "something"), HasSubstr("Not a record"));
  EXPECT_THAT(with("\"version\":2", "\"version\":1"), HasSubstr("another version than 2"));
  EXPECT_THAT(with("\"time\":\"virtual\"", "\"time\":\"lunch\""), HasSubstr("in which time"));
  EXPECT_THAT(with("\"is\":\"begin\"", "\"is\":\"begun\""), HasSubstr("'begun' at line 2"));
  EXPECT_THAT(with("{\"is\":\"begin\"", "[\"is\",\"begin\""), HasSubstr("Not an entry"));
  EXPECT_THAT(with("\"snapshots\":[]", "\"snapshots\":1"), HasSubstr("snapshots"));
  EXPECT_THAT(with("\"is\":\"begin\"", "\"is\":\"task\""), HasSubstr("no answer"));
  EXPECT_THAT(with("\"is\":\"begin\"", "\"is\":\"inject\""), HasSubstr("a time and a value"));
  EXPECT_THAT(with("\"until_idle\":true", "\"steps\":-1"), HasSubstr("not a count"));
}

}  // namespace
}  // namespace millrace::graph
