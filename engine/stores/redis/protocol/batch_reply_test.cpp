#include "stores/redis/protocol/batch_reply.h"

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/redis/redis_fixture.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Passes replies on to a batch.
class BatchSink final : public ReplySink {
 public:
  explicit BatchSink(BatchReply& batch) : batch_(batch) {}
  void on_text(std::string_view text) override { batch_.on_text(text); }
  void on_token(const RespToken& token) override { batch_.on_token(token); }
  void on_reply_end() override { batch_.on_reply_end(); }

 private:
  BatchReply& batch_;
};

struct Answered {
  std::unique_ptr<std::string> bytes;  // that the texts are views of
  StoreReply reply;
  std::vector<KeyError> errors;
};

Answered answer(const BatchShape& shape, const KeyList& keys, std::string_view text) {
  static rows::RowScratch scratch;
  auto owned = std::make_unique<std::string>(text);
  std::string_view bytes = *owned;
  BatchReply batch(shape, {.keys = &keys}, scratch);
  BatchSink sink(batch);
  RespReader reader;
  while (!bytes.empty()) {
    const RespReader::Step step = reader.read(bytes, sink, sink);
    EXPECT_EQ(step.status, ReadStatus::kReply) << bytes;
    if (step.status != ReadStatus::kReply) break;
    bytes.remove_prefix(step.consumed);
  }
  return {.bytes = std::move(owned), .reply = batch.finish(), .errors = batch.take_errors()};
}

constexpr BatchShape kIds{
    .command = StoreCommand::kListRange, .form = ValueForm::kInt64, .count = 3};

TEST(BatchReplyTest, RED2_IdsLandInOneArray) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a", "b", "c"}, scratch);
  const Answered got = answer(kIds, keys, list({"1", "-2"}) + "*0\r\n" + list({"3", "4", "5"}));
  EXPECT_THAT(got.errors, IsEmpty());
  EXPECT_THAT(got.reply.integers.span(), ElementsAre(1, -2, 3, 4, 5));
  EXPECT_THAT(got.reply.ends.span(), ElementsAre(2, 2, 5));
}

TEST(BatchReplyTest, RED6_WhatIsNoNumberIsAnErrorWhateverItsBytes) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a"}, scratch);
  for (const std::string& text : {std::string(18, 'z'), std::string(18, '\x80'), std::string()}) {
    const Answered got = answer(kIds, keys, list({text.c_str()}));
    ASSERT_EQ(got.errors.size(), 1U) << text;
    EXPECT_EQ(got.errors[0].key_index, 0U);
  }
}

TEST(BatchReplyTest, HashesComeAsMapsAndAsLists) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a", "b"}, scratch);
  const Answered got = answer({.command = StoreCommand::kHashGetAll},
                              keys,
                              "%1\r\n" + bulk("f") + bulk("v") + list({"g", "w"}));
  EXPECT_THAT(got.reply.texts_of(0), ElementsAre("f", "v"));
  EXPECT_THAT(got.reply.texts_of(1), ElementsAre("g", "w"));
}

TEST(BatchReplyTest, NullsOfFieldsAndStringsStay) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a", "b"}, scratch);
  const Answered fields = answer({.command = StoreCommand::kHashGet, .field_count = 2},
                                 keys,
                                 "*2\r\n$-1\r\n$1\r\nx\r\n*2\r\n_\r\n_\r\n");
  EXPECT_TRUE(is_null(fields.reply.texts_of(0)[0]));
  EXPECT_EQ(fields.reply.texts_of(0)[1], "x");
  EXPECT_TRUE(is_null(fields.reply.texts_of(1)[1]));
  const Answered strings = answer({.command = StoreCommand::kGet}, keys, "$-1\r\n$0\r\n\r\n");
  EXPECT_TRUE(is_null(strings.reply.texts_of(0)[0]));
  EXPECT_FALSE(is_null(strings.reply.texts_of(1)[0]));
  const Answered many =
      answer({.command = StoreCommand::kMultiGet}, keys, "*2\r\n$1\r\nx\r\n_\r\n");
  EXPECT_EQ(many.reply.texts_of(0)[0], "x");
  EXPECT_TRUE(is_null(many.reply.texts_of(1)[0]));
}

constexpr BatchShape kScored{.command = StoreCommand::kSortedSetRange,
                             .form = ValueForm::kInt64,
                             .count = 2,
                             .with_scores = true};

TEST(BatchReplyTest, RED1_ScoresComeInPairsOrOneAfterAnother) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a", "b", "c", "d"}, scratch);
  const Answered got = answer(kScored,
                              keys,
                              list({"7", "1.5", "8", "-inf"}) +
                                  "*2\r\n*2\r\n$1\r\n9\r\n,2\r\n*2\r\n:10\r\n,inf\r\n" + "*0\r\n" +
                                  "*1\r\n*2\r\n$1\r\n3\r\n:4\r\n");
  EXPECT_THAT(got.errors, IsEmpty());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(got.reply.integers.span(), ElementsAre(7, 8, 9, 10, 3));
  EXPECT_THAT(got.reply.scores.span(), ElementsAre(1.5, -kInfinity, 2, kInfinity, 4));
  EXPECT_THAT(got.reply.ends.span(), ElementsAre(2, 4, 4, 5));
}

TEST(BatchReplyTest, RED6_ScoresOfOtherFormsAreErrorsAndMoveNoOthers) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a", "b"}, scratch);
  for (const std::string& bad :
       {list({"7"}),
        list({"7", "x"}),
        list({"7", "nan"}),
        list({"x", "1"}),
        list({"1", "1", "2", "2", "3", "3"}),
        std::string("*1\r\n*1\r\n$1\r\n7\r\n"),
        std::string("*3\r\n*2\r\n:1\r\n,1\r\n*2\r\n:2\r\n,1\r\n*2\r\n:3\r\n,1\r\n"),
        std::string("*2\r\n*2\r\n:1\r\n,1\r\n:2\r\n"),
        std::string("*2\r\n:1\r\n*2\r\n:1\r\n,2\r\n"),
        std::string("*1\r\n*2\r\n,1\r\n,1\r\n"),
        std::string("*1\r\n*2\r\n:1\r\n_\r\n"),
        std::string("*1\r\n*2\r\n:1\r\n,nan\r\n"),
        std::string("*1\r\n*2\r\n:1\r\n*0\r\n"),
        std::string("*1\r\n%1\r\n:1\r\n,1\r\n"),
        std::string("*-1\r\n"),
        std::string("+x\r\n"),
        std::string("*2\r\n:1\r\n#t\r\n"),
        std::string("-WRONGTYPE x\r\n")}) {
    const Answered got = answer(kScored, keys, bad + list({"5", "0.5"}));
    ASSERT_EQ(got.errors.size(), 1U) << bad;
    EXPECT_EQ(got.errors[0].key_index, 0U) << bad;
    ASSERT_EQ(got.reply.scores.size(), got.reply.integers.size()) << bad;
    EXPECT_EQ(got.reply.integers[got.reply.begin_of(1)], 5) << bad;
    EXPECT_EQ(got.reply.scores[got.reply.begin_of(1)], 0.5) << bad;
  }
}

TEST(BatchReplyTest, RED6_MembersOfASetComeAsSetsAndListsAndAreBounded) {
  rows::RowScratch scratch;
  constexpr BatchShape kMembers{
      .command = StoreCommand::kSetMembers, .form = ValueForm::kInt64, .count = 3};
  const KeyList keys = make_keys({"a", "b"}, scratch);
  const Answered good =
      answer(kMembers, keys, "~2\r\n" + bulk("4") + bulk("3") + list({"9", "8", "7"}));
  EXPECT_THAT(good.errors, IsEmpty());
  EXPECT_THAT(good.reply.integers.span(), ElementsAre(4, 3, 9, 8, 7));
  const Answered bad = answer(kMembers, keys, list({"y", "1", "x"}) + list({"1", "2", "3", "4"}));
  ASSERT_EQ(bad.errors.size(), 2U);
  EXPECT_THAT(bad.errors[0].error.message(),
              HasSubstr("A member of a set is no 64-bit integer: key a, value x"));
  EXPECT_EQ(bad.errors[1].error.code(), base::ErrorCode::kResourceExhausted);
}

TEST(BatchReplyTest, RED6_ErrorsBelongToTheirKey) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a", "b", "c"}, scratch);
  const Answered got = answer(kIds, keys, list({"1"}) + "-WRONGTYPE x\r\n" + list({"2", "x"}));
  ASSERT_EQ(got.errors.size(), 2U);
  EXPECT_EQ(got.errors[0].key_index, 1U);
  EXPECT_EQ(got.errors[0].error.message(), "WRONGTYPE: the key holds another type: b");
  EXPECT_EQ(got.errors[1].error.where(), "c[1]");
}

TEST(BatchReplyTest, RED6_AReplyOfAnotherFormIsAnErrorAndNoMore) {
  rows::RowScratch scratch;
  const KeyList keys = make_keys({"a", "b"}, scratch);
  const std::string good = list({"7"});
  for (const std::string bad : {":5\r\n",
                                "$1\r\nx\r\n",
                                "_\r\n",
                                "*-1\r\n",
                                "*1\r\n_\r\n",
                                "*1\r\n*1\r\n:1\r\n",
                                "%1\r\n+a\r\n+b\r\n",
                                "~1\r\n:1\r\n",
                                "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n",
                                "*1\r\n-ERR inside\r\n",
                                "#t\r\n",
                                ",1.5\r\n"}) {
    const Answered got = answer(kIds, keys, bad + good);
    ASSERT_EQ(got.errors.size(), 1U) << bad;
    EXPECT_EQ(got.errors[0].key_index, 0U);
    EXPECT_THAT(got.errors[0].error.message(), HasSubstr("another form than that of LRANGE"));
    EXPECT_EQ(got.reply.integers[got.reply.begin_of(1)], 7) << bad;
  }
  EXPECT_EQ(
      answer({.command = StoreCommand::kHashGetAll}, keys, list({"odd"}) + "*0\r\n").errors.size(),
      1U);
  EXPECT_EQ(answer({.command = StoreCommand::kHashGet, .field_count = 2}, keys, good + good)
                .errors.size(),
            2U);
  EXPECT_EQ(answer({.command = StoreCommand::kMultiGet}, keys, good).errors.size(), 1U);
  EXPECT_EQ(answer({.command = StoreCommand::kMultiGet}, keys, "-ERR no\r\n").errors[0].key_index,
            KeyError::kAllKeys);
  EXPECT_EQ(answer({.command = StoreCommand::kGet}, keys, good + "$-1\r\n").errors.size(), 1U);
}

TEST(BatchReplyTest, EncodesEveryCommand) {
  rows::RowScratch scratch;
  const std::vector<std::string> fields{"f", "g"};
  const auto shown = [&](StoreCommand command, std::span<const std::uint32_t> chosen = {}) {
    CommandBatch batch{
        .command = command, .keys = make_keys({"a", "b"}, scratch), .fields = fields, .count = 10};
    std::string bytes;
    CommandWriter writer(bytes);
    encode_batch(batch, {.keys = &batch.keys, .chosen = chosen}, writer);
    std::string out;
    for (const RespValue& words : read_all(bytes)) {
      for (const RespValue& word : words.elements) out += word.text + " ";
      out += "| ";
    }
    return out;
  };
  EXPECT_EQ(shown(StoreCommand::kHashGetAll), "HGETALL a | HGETALL b | ");
  EXPECT_EQ(shown(StoreCommand::kHashGet), "HMGET a f g | HMGET b f g | ");
  EXPECT_EQ(shown(StoreCommand::kListRange), "LRANGE a 0 9 | LRANGE b 0 9 | ");
  EXPECT_EQ(shown(StoreCommand::kGet), "GET a | GET b | ");
  EXPECT_EQ(shown(StoreCommand::kMultiGet), "MGET a b | ");
  const std::vector<std::uint32_t> second{1};
  EXPECT_EQ(shown(StoreCommand::kGet, second), "GET b | ");
}

}  // namespace
}  // namespace millrace::stores::testing
