#include "base/log/log_record.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/wall_clock.h"

namespace millrace::base {
namespace {

const WallTime kNoon(std::chrono::seconds(1'709'208'000));

LogRecord sample() {
  return {.time = kNoon,
          .level = LogLevel::kWarning,
          .event = "run_refused",
          .message = "Too many ready nodes",
          .fields = {}};
}

TEST(LogRecordTest, JsonHasFixedKeysFirstThenFieldsInOrder) {
  const std::string node = "fetch";
  const std::array<LogField, 5> fields{LogField("request_id", "r-1"),
                                       LogField("node", node),
                                       LogField("rows", 40),
                                       LogField("share", 0.5),
                                       LogField("degraded", true)};
  LogRecord record = sample();
  record.fields = fields;
  EXPECT_EQ(to_json(record),
            R"({"ts":"2024-02-29T12:00:00.000000Z","level":"warn","msg":"Too many ready nodes",)"
            R"("event":"run_refused","request_id":"r-1","node":"fetch","rows":40,"share":0.5,)"
            R"("degraded":true})");
}

TEST(LogRecordTest, JsonKeepsIdsOf64BitsExact) {
  const std::array<LogField, 1> fields{
      LogField("trace_id", std::numeric_limits<std::uint64_t>::max())};
  LogRecord record = sample();
  record.fields = fields;
  EXPECT_NE(to_json(record).find(R"("trace_id":18446744073709551615)"), std::string::npos);
}

TEST(LogRecordTest, TextReadsAsOneLine) {
  const std::array<LogField, 3> fields{
      LogField("node", "fetch"), LogField("err", "peer \"a\" is\ndown"), LogField("rows", -1)};
  LogRecord record = sample();
  record.fields = fields;
  record.message = "Two\nlines";
  EXPECT_EQ(to_text(record),
            "2024-02-29T12:00:00.000000Z WARN run_refused: Two\\nlines node=fetch "
            R"(err="peer \"a\" is\ndown" rows=-1)");
}

TEST(LogRecordTest, TextQuotesWhatCouldBeMisread) {
  const std::array<LogField, 2> fields{LogField("empty", ""), LogField("pair", "a=b")};
  LogRecord record = sample();
  record.fields = fields;
  EXPECT_NE(to_text(record).find(R"(empty="" pair="a=b")"), std::string::npos);
}

TEST(LogRecordTest, BothFormsTellHowManyLinesWereHeldBack) {
  LogRecord record = sample();
  EXPECT_EQ(to_json(record).find("suppressed"), std::string::npos);
  record.suppressed_count = 12;
  EXPECT_NE(to_json(record).find(R"("event":"run_refused","suppressed":12})"), std::string::npos);
  EXPECT_NE(to_text(record).find(" suppressed=12"), std::string::npos);
}

TEST(LogRecordTest, LevelsHaveNames) {
  EXPECT_EQ(to_string(LogLevel::kDebug), "debug");
  EXPECT_EQ(to_string(LogLevel::kInfo), "info");
  EXPECT_EQ(to_string(LogLevel::kWarning), "warn");
  EXPECT_EQ(to_string(LogLevel::kError), "error");
}

TEST(LogRecordTest, TextLinesCannotSteerATerminal) {
  const LogField fields[] = {{"err", "\x1b[2J\x7f\u009b"}};
  const std::string line =
      to_text({.time = {}, .event = "e", .message = "m\u202e", .fields = fields});
  EXPECT_NE(line.find("m\\u202e err=\"\\u001b[2J\\u007f\\u009b\""), std::string::npos) << line;
}

}  // namespace
}  // namespace millrace::base
