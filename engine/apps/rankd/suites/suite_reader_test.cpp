#include "apps/rankd/suites/suite_reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problems_of(const std::string& text) {
  const auto suite = parse_suite(text, "x.test.json");
  return suite ? "" : suite.error().to_text();
}

std::string with_expect(const std::string& expect) {
  return R"({"cases": [{"name": "a", "request": {"user_id": 1}, "expect": )" + expect + "}]}";
}

TEST(SuiteReaderTest, ReadsEverything) {
  const auto suite = parse_suite(R"({
    "plan": "feed",
    "data": ["HSET user:1 name Ada", "RPUSH follow:1 2"],
    "cases": [{
      "name": "all of it",
      "request": {"user_id": 1, "params": {"x": [1, 2.5, "y", null, true]}},
      "expect": {"ids": [3, 1], "first_ids": [3], "has_ids": [1], "no_ids": [9], "min_count": 1, "max_count": 2,
                 "fields": {"3": {"score": 0.5}}, "all": [{"country": "DE"}], "none": [{"author_id": 7}],
                 "at_most": [{"per": "author_id", "count": 2}], "sorted_by": {"key": "score", "order": "asc"},
                 "degraded": true, "tolerance": 0.01}}]})",
                                 "x.test.json");
  ASSERT_TRUE(suite.has_value()) << suite.error().to_text();
  EXPECT_EQ(suite->plan, "feed");
  EXPECT_EQ(suite->data, "HSET user:1 name Ada\nRPUSH follow:1 2\n");
  const SuiteCase& one = suite->cases.at(0);
  EXPECT_EQ(one.line, 4U);
  EXPECT_EQ(one.request, R"({"user_id":1,"params":{"x":[1,2.5,"y",null,true]}})");
  EXPECT_THAT(*one.expect.ids, ElementsAre(3, 1));
  EXPECT_THAT(*one.expect.first_ids, ElementsAre(3));
  EXPECT_THAT(one.expect.has_ids, ElementsAre(1));
  EXPECT_THAT(one.expect.no_ids, ElementsAre(9));
  EXPECT_EQ(one.expect.count_min, 1);
  EXPECT_EQ(one.expect.count_max, 2);
  EXPECT_EQ(one.expect.fields.at(3).at(0).second, FieldValue(0.5));
  EXPECT_EQ(one.expect.all.at(0).at(0).second, FieldValue(std::string("DE")));
  EXPECT_EQ(one.expect.none.at(0).at(0).first, "author_id");
  EXPECT_EQ(one.expect.at_most.at(0).count, 2);
  EXPECT_FALSE(one.expect.sorted_by->descending);
  EXPECT_TRUE(one.expect.degraded);
  EXPECT_EQ(one.expect.tolerance, 0.01);
}

TEST(SuiteReaderTest, SaysWhereAProblemIs) {
  EXPECT_THAT(problems_of("{"), HasSubstr("x.test.json:1:"));
  EXPECT_THAT(problems_of("[]"), HasSubstr("wrong_type"));
  EXPECT_THAT(problems_of(R"({"caes": []})"), HasSubstr("x.test.json:1:2: unknown_field"));
  EXPECT_THAT(problems_of(R"({"caes": []})"), HasSubstr("missing_field"));
  EXPECT_THAT(problems_of(R"({"cases": []})"), HasSubstr("There is no case"));
  EXPECT_THAT(problems_of(with_expect("{}")), HasSubstr("expects nothing"));
  EXPECT_THAT(problems_of(with_expect(R"({"idz": [1]})")), HasSubstr("ids"));
  EXPECT_THAT(problems_of(with_expect(R"({"ids": ["1"]})")), HasSubstr("cases[0].expect.ids[0]"));
  EXPECT_THAT(problems_of(with_expect(R"({"count": -1})")), HasSubstr("out_of_range"));
  EXPECT_THAT(problems_of(with_expect(R"({"fields": {"x": {"a": 1}}})")),
              HasSubstr("Not an id: x"));
  EXPECT_THAT(problems_of(with_expect(R"({"all": [{}]})")), HasSubstr("No field is named"));
  EXPECT_THAT(problems_of(with_expect(R"({"none": [{"a": [1]}]})")), HasSubstr("wrong_type"));
  EXPECT_THAT(problems_of(with_expect(R"({"at_most": [{"per": "a"}]})")), HasSubstr("count"));
  EXPECT_THAT(problems_of(with_expect(R"({"tolerance": -1})")), HasSubstr("below 0"));
  EXPECT_THAT(problems_of(with_expect(R"({"sorted_by": {"key": "a", "order": "up"}})")),
              HasSubstr("bad_value"));
}

TEST(SuiteReaderTest, NamesAreUsedOnce) {
  const std::string one = R"({"name": "a", "request": {}, "expect": {"count": 1}})";
  EXPECT_THAT(problems_of(R"({"cases": [)" + one + ", " + one + "]}"), HasSubstr("duplicate_name"));
}

TEST(SuiteReaderTest, DataFilesStandBesideTheirTests) {
  const testing::TempFolder folder;
  folder.write("x.redis", "SET a 1\n");
  const auto file = folder.write("x.test.json", R"({"data": "x.redis", "cases": [
      {"name": "a", "request": {}, "expect": {"count": 1}}]})");
  const auto suite = read_suite(file);
  ASSERT_TRUE(suite.has_value()) << suite.error().to_text();
  EXPECT_EQ(suite->data, "SET a 1\n");
  const auto missing = folder.write("y.test.json", R"({"data": "y.redis", "cases": [
      {"name": "a", "request": {}, "expect": {"count": 1}}]})");
  const auto refused = read_suite(missing);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().to_text(), HasSubstr("y.redis"));
  EXPECT_FALSE(read_suite(folder.path() + "/none.test.json").has_value());
  EXPECT_THAT(problems_of(R"({"data": 3, "cases": []})"), HasSubstr("name of a data file"));
}

}  // namespace
}  // namespace millrace::rankd
