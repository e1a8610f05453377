#include "base/formats/value_reader.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/reader_fixture.h"

namespace millrace::base {
namespace {

class ValueReaderTest : public ReaderFixture {
 protected:
  /// The value of the only member, which is called `x`, of a document.
  JsonValue json_value(const std::string& value) {
    use_json("{\"x\": " + value + "}");
    return *document_.root().find_member("x");
  }
  static ValuePlace place(JsonValue value) { return ValuePlace{}.child(value); }

  ValueReader values_{reporter_};
};

TEST_F(ValueReaderTest, ReadsEachType) {
  const JsonValue flag = json_value("true");
  EXPECT_EQ(values_.read_bool(flag, place(flag)), true);
  const JsonValue number = json_value("1.5");
  EXPECT_EQ(values_.read_number(number, place(number)), 1.5);
  const JsonValue integer = json_value("7");
  EXPECT_EQ(values_.read_int(integer, place(integer)), 7);
  EXPECT_EQ(values_.read_number(integer, place(integer)), 7.0);
  EXPECT_EQ(values_.read_milliseconds(integer, place(integer)), std::chrono::milliseconds(7));
  const JsonValue text = json_value("\"50ms\"");
  EXPECT_EQ(values_.read_string(text, place(text)), "50ms");
  EXPECT_EQ(values_.read_duration(text, place(text)), std::chrono::milliseconds(50));
  EXPECT_EQ(this->text(), "");
}

TEST_F(ValueReaderTest, ReportsAValueOfAnotherType) {
  const JsonValue value = json_value("[1]");
  EXPECT_FALSE(values_.read_bool(value, place(value)));
  EXPECT_FALSE(values_.read_int(value, place(value)));
  EXPECT_FALSE(values_.read_number(value, place(value)));
  EXPECT_FALSE(values_.read_string(value, place(value)));
  EXPECT_FALSE(values_.read_milliseconds(value, place(value)));
  EXPECT_FALSE(values_.is_object(value, place(value)));
  EXPECT_EQ(text(),
            "1:7: wrong_type: Expected bool, found array (at x)\n"
            "1:7: wrong_type: Expected int, found array (at x)\n"
            "1:7: wrong_type: Expected number, found array (at x)\n"
            "1:7: wrong_type: Expected string, found array (at x)\n"
            "1:7: wrong_type: Expected int, found array (at x)\n"
            "1:7: wrong_type: Expected object, found array (at x)\n");
}

TEST_F(ValueReaderTest, UsesTheWordsOfToml) {
  use_toml("x = 1.5\n");
  const JsonValue value = *document_.root().find_member("x");
  EXPECT_FALSE(values_.is_object(value, place(value)));
  EXPECT_EQ(text(), "1:5: wrong_type: Expected table, found float (at x)\n");
}

TEST_F(ValueReaderTest, NumbersHaveBounds) {
  const JsonValue value = json_value("5");
  const Range<std::int64_t> range{.minimum = 1, .maximum = 9};
  EXPECT_TRUE(values_.is_within<std::int64_t>(1, range, place(value), "x"));
  EXPECT_TRUE(values_.is_within<std::int64_t>(9, range, place(value), "x"));
  EXPECT_FALSE(values_.is_within<std::int64_t>(0, range, place(value), "x"));
  EXPECT_FALSE(values_.is_within<std::int64_t>(10, range, place(value), "x"));
  EXPECT_TRUE(values_.is_within(1e300, Range<double>{}, place(value), "x"));
  EXPECT_EQ(text(),
            "1:7: out_of_range: x is below 1: 0 (at x)\n"
            "1:7: out_of_range: x is above 9: 10 (at x)\n");
}

TEST_F(ValueReaderTest, TextAndListsHaveALargestSize) {
  const JsonValue name = json_value("\"abc\"");
  EXPECT_TRUE(values_.read_string(name, place(name), 3));
  EXPECT_FALSE(values_.read_string(name, place(name), 2));
  const JsonValue list = json_value("[1, 2]");
  EXPECT_TRUE(values_.is_array(list, place(list), 2));
  EXPECT_FALSE(values_.is_array(list, place(list), 1, "ids"));
  EXPECT_EQ(text(),
            "1:7: too_large: More than 2 bytes (at x)\n1:7: too_large: More than 1 ids (at x)\n");
}

TEST_F(ValueReaderTest, AWordIsOneOfThoseAllowed) {
  constexpr std::string_view kWords[] = {"asc", "desc"};
  const JsonValue good = json_value("\"desc\"");
  EXPECT_EQ(values_.read_choice(good, place(good), "order", kWords), 1U);
  const JsonValue bad = json_value("\"up\"");
  EXPECT_EQ(values_.read_choice(bad, place(bad), "order", kWords), std::nullopt);
  EXPECT_EQ(text(), "1:7: bad_value: Unknown order: up (at x); one of asc, desc\n");
}

TEST_F(ValueReaderTest, DurationsHaveAUnitOrAreWholeMilliseconds) {
  const JsonValue text_value = json_value("\"5\"");
  EXPECT_FALSE(values_.read_duration(text_value, place(text_value)));
  for (const char* const bad : {"0", "1.5", "3600001"}) {
    const JsonValue value = json_value(bad);
    EXPECT_FALSE(values_.read_milliseconds(value, place(value))) << bad;
  }
  ASSERT_EQ(report_.problems().size(), 4U);
  EXPECT_EQ(report_.problems()[0].message, "Not a duration: 5");
  EXPECT_EQ(report_.problems()[3].code, SampleCode::kBadDuration);
  EXPECT_EQ(report_.problems()[3].hint, "a whole number of milliseconds from 1 to one hour");
}

}  // namespace
}  // namespace millrace::base
