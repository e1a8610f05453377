#include "bridge/state_table_client.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bridge/graph_tables.h"
#include "graph/payload.h"
#include "graph/run/state_store.h"
#include "loop/stop.h"
#include "rows/row_scratch.h"
#include "stores/store_client.h"
#include "stores/store_fixture.h"

namespace millrace::bridge {
namespace {

using stores::StoreCommand;
using stores::StoreReply;
using stores::ValueForm;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A batch without its keys.
struct Ask {
  StoreCommand command = StoreCommand::kGet;
  std::span<const std::string> fields = {};
  std::int64_t count = 0;
  ValueForm form = ValueForm::kText;
  bool reversed = false;
  bool with_scores = false;
};

/// A client and a table `t`.
struct TableRig {
  TableRig() {
    for (const auto& [key, json] : std::initializer_list<std::pair<const char*, const char*>>{
             {"hash", R"({"a": 1, "b": "two", "c": true, "d": null, "e": [1], "f": 0.5})"},
             {"list", R"([3, "4", 5])"},
             {"words", R"(["x", 1.5])"},
             {"set", R"({"7": 2, "5": 2, "9": 1.5})"},
             {"badset", R"({"x": 2})"},
             {"text", R"("hello")"},
             {"empty", R"("")"},
             {"number", "12"},
             {"nothing", "null"},
             {"with:colon", "1"}}) {
      EXPECT_TRUE(store.stage({.table = "t", .key = key, .value = *graph::Payload::parse(json)}));
    }
    store.commit(4);
    pinned = std::make_shared<PinnedTables>("g", names, store.latest());
  }

  base::Result<StoreReply> ask(const Ask& what, std::initializer_list<std::string_view> keys) {
    const stores::CommandBatch batch{.command = what.command,
                                     .keys = stores::testing::make_keys(keys, scratch),
                                     .fields = what.fields,
                                     .count = what.count,
                                     .form = what.form,
                                     .reversed = what.reversed,
                                     .with_scores = what.with_scores};
    return *client.answer_now(batch, {.pinned = pinned.get()});
  }
  std::string error(const Ask& what, std::string_view key) {
    const auto reply = ask(what, {key});
    return reply ? "ok" : std::string(reply.error().message());
  }

  rows::RowScratch scratch;
  graph::StateStore store;
  std::vector<std::string> names{"t", "u"};
  std::shared_ptr<const PinnedTables> pinned;
  StateTableClient client;
};

TEST(StateTableClientTest, G70_AnObjectIsAHash) {
  TableRig rig;
  const std::vector<std::string> fields{"a", "b", "c", "d", "e", "f", "g"};
  const auto reply = rig.ask({.command = StoreCommand::kHashGet, .fields = fields},
                             {"t:hash", "t:none", "u:hash", "hash"});
  ASSERT_TRUE(reply) << reply.error().to_string();
  EXPECT_EQ(reply->texts_of(0)[0], "1");
  EXPECT_EQ(reply->texts_of(0)[1], "two");
  EXPECT_EQ(reply->texts_of(0)[2], "true");
  EXPECT_TRUE(stores::is_null(reply->texts_of(0)[3]));
  EXPECT_EQ(reply->texts_of(0)[4], "[1]");
  EXPECT_EQ(reply->texts_of(0)[5], "0.5");
  EXPECT_TRUE(stores::is_null(reply->texts_of(0)[6]));
  for (std::size_t key = 1; key < 4; ++key) EXPECT_TRUE(stores::is_null(reply->texts_of(key)[0]));
  const auto all = rig.ask({.command = StoreCommand::kHashGetAll}, {"t:hash", "t:nothing"});
  EXPECT_EQ(all->texts_of(0).size(), 10U) << "null fields are not there";
  EXPECT_TRUE(all->texts_of(1).empty());
  EXPECT_THAT(rig.error({.command = StoreCommand::kHashGet, .fields = fields}, "t:list"),
              HasSubstr("WRONGTYPE"));
}

TEST(StateTableClientTest, G70_AScalarIsAString) {
  TableRig rig;
  const auto reply =
      rig.ask({.command = StoreCommand::kMultiGet},
              {"t:text", "t:number", "t:empty", "t:nothing", "t:list", "t:with:colon"});
  EXPECT_EQ(reply->texts_of(0)[0], "hello");
  EXPECT_EQ(reply->texts_of(1)[0], "12");
  EXPECT_EQ(reply->texts_of(2)[0], "");
  EXPECT_FALSE(stores::is_null(reply->texts_of(2)[0]));
  EXPECT_TRUE(stores::is_null(reply->texts_of(3)[0]));
  EXPECT_TRUE(stores::is_null(reply->texts_of(4)[0])) << "as MGET does";
  EXPECT_EQ(reply->texts_of(5)[0], "1");
  EXPECT_THAT(rig.error({.command = StoreCommand::kGet}, "t:list"), HasSubstr("WRONGTYPE"));
}

TEST(StateTableClientTest, G70_AnArrayIsAListOrASet) {
  TableRig rig;
  const Ask ids{.command = StoreCommand::kListRange, .count = 2, .form = ValueForm::kInt64};
  const auto reply = rig.ask(ids, {"t:list", "t:none", "t:list"});
  EXPECT_THAT(reply->integers.span(), ElementsAre(3, 4, 3, 4));
  EXPECT_THAT(reply->ends.span(), ElementsAre(2U, 2U, 4U));
  EXPECT_THAT(rig.ask({.command = StoreCommand::kListRange, .count = 5}, {"t:words"})->texts_of(0),
              ElementsAre("x", "1.5"));
  EXPECT_THAT(rig.error(ids, "t:words"), HasSubstr("x"));
  EXPECT_THAT(
      rig.ask({.command = StoreCommand::kSetMembers, .count = 3}, {"t:list"})->integers.span(),
      ElementsAre(3, 4, 5));
  EXPECT_NE(rig.error({.command = StoreCommand::kSetMembers, .count = 2}, "t:list"), "ok");
  EXPECT_THAT(rig.error({.command = StoreCommand::kSetMembers, .count = 2}, "t:hash"),
              HasSubstr("WRONGTYPE"));
}

TEST(StateTableClientTest, G70_AnObjectOfNumbersIsASortedSet) {
  TableRig rig;
  const auto up = rig.ask(
      {.command = StoreCommand::kSortedSetRange, .count = 9, .with_scores = true}, {"t:set"});
  EXPECT_THAT(up->integers.span(), ElementsAre(9, 5, 7)) << "equal scores: by text";
  EXPECT_THAT(up->scores.span(), ElementsAre(1.5, 2, 2));
  const auto down =
      rig.ask({.command = StoreCommand::kSortedSetRange, .count = 2, .reversed = true}, {"t:set"});
  EXPECT_THAT(down->integers.span(), ElementsAre(7, 5));
  EXPECT_NE(rig.error({.command = StoreCommand::kSortedSetRange, .count = 1}, "t:badset"), "ok");
  EXPECT_THAT(rig.error({.command = StoreCommand::kSortedSetRange, .count = 1}, "t:hash"),
              HasSubstr("WRONGTYPE"));
}

TEST(StateTableClientTest, G70_WithoutAGraphEveryCallFails) {
  StateTableClient client;
  rows::RowScratch scratch;
  const stores::CommandBatch batch{.command = StoreCommand::kGet,
                                   .keys = stores::testing::make_keys({"t:a"}, scratch)};
  const auto reply = client.answer_now(batch, {});
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(std::string(reply->error().message()), HasSubstr("--graph FILE"));
  loop::StopSource stop;
  stop.request_stop();
  EXPECT_EQ(client.answer_now(batch, {.stop = stop.token()})->error().code(),
            base::ErrorCode::kCancelled);
}

TEST(StateTableClientTest, G70_TheResponseNamesEveryTableAndItsEpoch) {
  const TableRig rig;
  std::string json;
  rig.pinned->append_json(json);
  EXPECT_EQ(json, R"({"graph":"g","tables":{"t":4,"u":0}})");
}

}  // namespace
}  // namespace millrace::bridge
