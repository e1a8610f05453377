#include "apps/rankd/answer_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::rankd {
namespace {

TEST(AnswerTableTest, ShowsCandidatesWithOneColumnPerField) {
  EXPECT_EQ(answer_table(R"({"engine_request_id":"e1","plan":{"name":"p"},"candidates":[)"
                         R"({"id":1100,"fields":{"score":110,"name":"Zoë"}},)"
                         R"({"id":9,"fields":{"score":0.1,"name":null}}],)"
                         R"("took_ms":0.5,"degraded":{"is":false,"reasons":[]},"warnings":["w"]})"),
            "e1: p, 2 candidates in 0.5 ms\n"
            "  rank    id  score  name\n"
            "     1  1100    110  Zoë\n"
            "     2     9    0.1  null\n"
            "  warning: w\n"
            "\n");
}

TEST(AnswerTableTest, NumbersAreWrittenForPeople) {
  EXPECT_EQ(answer_table(R"({"engine_request_id":"e1","plan":{"name":"p"},"candidates":[)"
                         R"({"id":9007199254740993,"fields":{"score":5.3950000000000005}}],)"
                         R"("took_ms":0.328659123})"),
            "e1: p, 1 candidate in 0.329 ms\n"
            "  rank                id  score\n"
            "     1  9007199254740993  5.395\n"
            "\n");
}

TEST(AnswerTableTest, ShowsErrorsDegradationAndSentences) {
  EXPECT_EQ(answer_table(R"({"request_id":"r","engine_request_id":"e1",)"
                         R"("error":{"code":"bad_json","message":"what"}})"),
            "r: error bad_json: what\n\n");
  EXPECT_EQ(answer_table(R"({"engine_request_id":"e1","plan":{"name":"p"},"candidates":[],)"
                         R"("took_ms":1,"degraded":{"is":true,"reasons":[{"node":"n",)"
                         R"("code":"node_timeout","message":"late"}]},"warnings":[],)"
                         R"("explain":[{"id":7,"verdict":"cut","sentence":"cut: why"}]})"),
            "e1: p, 0 candidates in 1 ms\n"
            "  degraded: node n: node_timeout: late\n"
            "  id 7: cut: why\n"
            "\n");
}

TEST(AnswerTableTest, OutputsThatLackAFieldLeaveItOut) {
  EXPECT_EQ(answer_table(R"({"engine_request_id":"e1","plan":{"name":"p"},"candidates":[)"
                         R"({"id":1,"fields":{"a":"x"},"output":"one"},)"
                         R"({"id":2,"fields":{},"output":"two"}],"took_ms":2})"),
            "e1: p, 2 candidates in 2 ms\n"
            "  rank  id  a  output\n"
            "     1   1  x  one\n"
            "     2   2     two\n"
            "\n");
}

}  // namespace
}  // namespace millrace::rankd
