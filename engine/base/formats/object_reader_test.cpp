#include "base/formats/object_reader.h"

#include <chrono>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "base/formats/reader_fixture.h"

namespace millrace::base {
namespace {

class ObjectReaderTest : public ReaderFixture {
 protected:
  ObjectReader root() { return {document_.root(), {}, reporter_}; }
};

TEST_F(ObjectReaderTest, GivesMembersByNameAndType) {
  use_json(R"({"flag": true, "count": 3, "name": "n", "order": "desc", "wait": "2s", "wait_ms": 5,
               "list": [1], "inner": {"deep": 1}})");
  ObjectReader reader = root();
  ASSERT_TRUE(reader.is_object());
  reader.allow_only({"flag", "count", "name", "order", "wait", "wait_ms", "list", "inner"});
  EXPECT_EQ(reader.find_bool("flag"), true);
  EXPECT_EQ(reader.find_int("count", {.minimum = 1, .maximum = 3}), 3);
  EXPECT_EQ(reader.find_string("name", 1), "n");
  EXPECT_EQ(reader.find_choice("order", {"asc", "desc"}), 1U);
  EXPECT_EQ(reader.find_duration("wait"), std::chrono::seconds(2));
  EXPECT_EQ(reader.find_milliseconds("wait_ms"), std::chrono::milliseconds(5));
  EXPECT_EQ(reader.find_array("list")->size(), 1U);
  std::optional<ObjectReader> inner = reader.find_object("inner");
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->find_int("deep"), 1);
  EXPECT_EQ(inner->place().index, inner->value().index());
  EXPECT_EQ(inner->place_of(*inner->find("deep")).index, inner->find("deep")->index());
  EXPECT_TRUE(reader.require("flag"));
  EXPECT_EQ(text(), "");
}

TEST_F(ObjectReaderTest, AnAbsentMemberIsNoProblemUnlessItIsRequired) {
  use_json("{}");
  ObjectReader reader = root();
  EXPECT_FALSE(reader.has("x"));
  EXPECT_FALSE(reader.find_bool("x"));
  EXPECT_FALSE(reader.find_int("x"));
  EXPECT_FALSE(reader.find_string("x"));
  EXPECT_FALSE(reader.find_choice("x", {"a"}));
  EXPECT_FALSE(reader.find_duration("x"));
  EXPECT_FALSE(reader.find_milliseconds("x"));
  EXPECT_FALSE(reader.find_array("x"));
  EXPECT_FALSE(reader.find_object("x"));
  EXPECT_EQ(text(), "");
  EXPECT_FALSE(reader.require("x"));
  EXPECT_FALSE(reader.require_either("id", "node_id"));
  EXPECT_EQ(text(),
            "1:1: missing_field: Missing field: x\n1:1: missing_field: Missing field: id\n");
}

TEST_F(ObjectReaderTest, ReportsAnUnknownFieldWithTheOneThatWasMeant) {
  use_json("{\"nodes\": [{\n  \"hots\": 1, \"xyz\": 2}]}");
  const JsonValue nodes = *document_.root().find_member("nodes");
  const JsonValue node = *nodes.children().begin();
  ObjectReader reader(node, ValuePlace{}.child(node), reporter_);
  reader.allow_only({"host", "port"});
  EXPECT_EQ(text(),
            "2:3: unknown_field: Unknown field: hots (at nodes[0].hots); did you mean 'host'?\n"
            "2:14: unknown_field: Unknown field: xyz (at nodes[0].xyz)\n");
}

TEST_F(ObjectReaderTest, ReportsEveryMemberOfAnotherTypeAndOutOfBounds) {
  use_json(R"({"a": 1, "b": true})");
  ObjectReader reader = root();
  EXPECT_FALSE(reader.find_bool("a"));
  EXPECT_FALSE(reader.find_string("a"));
  EXPECT_FALSE(reader.find_array("a"));
  EXPECT_FALSE(reader.find_object("a"));
  EXPECT_FALSE(reader.find_int("b"));
  EXPECT_FALSE(reader.find_int("a", {.minimum = 2}));
  EXPECT_EQ(text(),
            "1:7: wrong_type: Expected bool, found int (at a)\n"
            "1:7: wrong_type: Expected string, found int (at a)\n"
            "1:7: wrong_type: Expected array, found int (at a)\n"
            "1:7: wrong_type: Expected object, found int (at a)\n"
            "1:15: wrong_type: Expected int, found bool (at b)\n"
            "1:7: out_of_range: a is below 2: 1 (at a)\n");
}

TEST_F(ObjectReaderTest, AFieldWithTwoNamesIsGivenOnce) {
  use_json(R"({"id": "a", "node_id": "b", "kernel": "c"})");
  ObjectReader reader = root();
  EXPECT_EQ(reader.require_either("id", "node_id")->find_string(), "a");
  EXPECT_EQ(reader.require_either("op", "kernel")->find_string(), "c");
  EXPECT_EQ(text(),
            "1:24: duplicate_key: 'id' and 'node_id' are two spellings of one field (at "
            "node_id)\n");
}

TEST_F(ObjectReaderTest, AValueThatIsNoObjectIsReportedAndHasNoMembers) {
  use_json("[1]");
  ObjectReader reader = root();
  EXPECT_FALSE(reader.is_object());
  EXPECT_FALSE(reader.has("x"));
  EXPECT_EQ(text(), "1:1: wrong_type: Expected object, found array\n");
}

TEST_F(ObjectReaderTest, AddsProblemsOfTheCaller) {
  use_toml("[a]\nx = 1\n");
  const JsonValue table = *document_.root().find_member("a");
  ObjectReader reader(table, ValuePlace{}.child(table), reporter_);
  reader.add(SampleCode::kOwn, "x", "Not x");
  reader.add(SampleCode::kOwn, "y", "Needs y", "add it");
  EXPECT_EQ(text(), "2:5: own: Not x (at a.x)\n1:1: own: Needs y (at a.y); add it\n");
}

TEST_F(ObjectReaderTest, ReadsTomlAndJsonAlike) {
  use_toml("[a]\nwait = '50ms'\nport = 70000\nhots = 1\n");
  ObjectReader a = *root().find_object("a");
  a.allow_only({"wait", "port", "host"});
  EXPECT_EQ(a.find_duration("wait"), std::chrono::milliseconds(50));
  EXPECT_FALSE(a.find_int("port", {.minimum = 1, .maximum = 65535}));
  EXPECT_EQ(text(),
            "4:1: unknown_field: Unknown field: hots (at a.hots); did you mean 'host'?\n"
            "3:8: out_of_range: port is above 65535: 70000 (at a.port)\n");
}

}  // namespace
}  // namespace millrace::base
