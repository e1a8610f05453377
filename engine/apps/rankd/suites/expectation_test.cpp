#include "apps/rankd/suites/expectation.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/suites/suite_reader.h"

namespace millrace::rankd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kAnswer = R"({"plan": {"name": "p"}, "candidates": [
  {"id": 5, "fields": {"score": 0.9, "author_id": 7, "country": "DE"}},
  {"id": 3, "fields": {"score": 0.5, "author_id": 7, "country": "DE"}},
  {"id": 8, "fields": {"score": null, "author_id": 4, "country": "DE"}}],
  "degraded": {"is": false, "reasons": []}})";

std::vector<std::string> failures(const std::string& expect, const char* answer = kAnswer) {
  const auto suite = parse_suite(
      R"({"cases": [{"name": "a", "request": {}, "expect": )" + expect + "}]}", "x.test.json");
  EXPECT_TRUE(suite.has_value()) << suite.error().to_text();
  return find_failures(suite->cases.at(0).expect, read_answer(answer));
}

TEST(ExpectationTest, WhatHoldsPasses) {
  for (const char* expect : {R"({"ids": [5, 3, 8]})",
                             R"({"first_ids": [5, 3]})",
                             R"({"first_ids": []})",
                             R"({"has_ids": [8, 5]})",
                             R"({"no_ids": [9]})",
                             R"({"count": 3})",
                             R"({"min_count": 3, "max_count": 3})",
                             R"({"fields": {"5": {"score": 0.9, "author_id": 7}}})",
                             R"({"fields": {"8": {"score": null}}})",
                             R"({"fields": {"5": {"score": 0.91}}, "tolerance": 0.02})",
                             R"({"all": [{"country": "DE"}]})",
                             R"({"none": [{"author_id": 4, "country": "FR"}]})",
                             R"({"at_most": [{"per": "author_id", "count": 2}]})",
                             R"({"sorted_by": {"key": "score"}})"}) {
    EXPECT_THAT(failures(expect), IsEmpty()) << expect;
  }
}

TEST(ExpectationTest, WhatDoesNotHoldIsSaidInASentence) {
  EXPECT_THAT(failures(R"({"ids": [5, 8, 3]})"),
              ElementsAre("expected the ids [5, 8, 3], got [5, 3, 8]"));
  EXPECT_THAT(failures(R"({"first_ids": [3]})"),
              ElementsAre("expected to begin with [3], got [5, 3, 8]"));
  EXPECT_THAT(failures(R"({"first_ids": [5, 3, 8, 1]})"), ElementsAre(HasSubstr("begin with")));
  EXPECT_THAT(failures(R"({"has_ids": [9]})"),
              ElementsAre("expected id 9 somewhere, got [5, 3, 8]"));
  EXPECT_THAT(failures(R"({"no_ids": [3]})"), ElementsAre("id 3 must not be in the answer"));
  EXPECT_THAT(failures(R"({"count": 4})"), ElementsAre("expected at least 4 candidates, got 3"));
  EXPECT_THAT(failures(R"({"max_count": 2})"), ElementsAre("expected at most 2 candidates, got 3"));
  EXPECT_THAT(failures(R"({"fields": {"3": {"score": 0.6}}})"),
              ElementsAre("id 3: expected score = 0.6, got 0.5"));
  EXPECT_THAT(failures(R"({"fields": {"9": {"score": 0.6}}})"), ElementsAre(HasSubstr("id 9")));
  EXPECT_THAT(failures(R"({"all": [{"author_id": 7}]})"),
              ElementsAre("id 8: expected author_id = 7 of all candidates"));
  EXPECT_THAT(failures(R"({"none": [{"author_id": 4}]})"),
              ElementsAre("id 8: expected no candidate with author_id = 4"));
  EXPECT_THAT(failures(R"({"at_most": [{"per": "author_id", "count": 1}]})"),
              ElementsAre("expected at most 1 per author_id, got 2 with 7: [5, 3]"));
  EXPECT_THAT(failures(R"({"sorted_by": {"key": "score", "order": "asc"}})"),
              ElementsAre("expected ascending order by score, but id 5 with 0.9 stands before "
                          "id 3 with 0.5"));
}

TEST(ExpectationTest, AFieldThatIsNotThereIsSaidOnce) {
  EXPECT_THAT(
      failures(R"({"all": [{"likes": 1}], "sorted_by": {"key": "likes"}})"),
      ::testing::Contains("the answer has no field 'likes'; name it in output_keys").Times(1));
}

TEST(ExpectationTest, AFieldThatACandidateLeavesOutIsNull) {
  const char* const answer = R"({"candidates": [{"id": 5, "fields": {"likes": 3}},
      {"id": 8, "fields": {}}], "degraded": {"is": false, "reasons": []}})";
  EXPECT_THAT(
      failures(R"({"fields": {"8": {"likes": null}}, "sorted_by": {"key": "likes"}})", answer),
      IsEmpty());
  EXPECT_THAT(failures(R"({"none": [{"likes": null}]})", answer),
              ElementsAre("id 8: expected no candidate with likes = null"));
}

TEST(ExpectationTest, ErrorsAndDegradedAnswersFailUnlessTheyAreExpected) {
  const char* const error = R"({"error": {"code": "deadline_exceeded", "message": "too late"}})";
  EXPECT_THAT(failures(R"({"count": 1})", error),
              ElementsAre("got the error deadline_exceeded: too late"));
  EXPECT_THAT(failures(R"({"error": "deadline_exceeded"})", error), IsEmpty());
  EXPECT_THAT(failures(R"({"error": "busy"})", error),
              ElementsAre("expected the error busy, got deadline_exceeded: too late"));
  EXPECT_THAT(failures(R"({"error": "busy"})"),
              ElementsAre("expected the error busy, got 3 candidates"));
  const char* const degraded = R"({"candidates": [], "degraded": {"is": true, "reasons": [
      {"node": "f", "kind": "timeout", "fallback": "empty"}]}})";
  EXPECT_THAT(failures(R"({"count": 0})", degraded),
              ElementsAre("the answer is degraded: node 'f' (timeout) used empty"));
  EXPECT_THAT(failures(R"({"degraded": true})", degraded), IsEmpty());
  EXPECT_THAT(failures(R"({"degraded": true})"),
              ElementsAre("expected a degraded answer, got a full one"));
  EXPECT_THAT(failures(R"({"count": 0})", "nonsense"), ElementsAre(HasSubstr("unreadable_answer")));
}

}  // namespace
}  // namespace millrace::rankd
