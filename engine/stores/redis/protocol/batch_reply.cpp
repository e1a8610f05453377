#include "stores/redis/protocol/batch_reply.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "rows/row_scratch.h"
#include "stores/parse_value.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/redis_error.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/store_client.h"

namespace millrace::stores {

namespace {

/// Most lists and hashes are short; longer ones grow by doubling.
std::size_t capacity_hint(const BatchShape& shape, std::size_t keys) {
  constexpr std::size_t kHintMax = 4096;
  std::size_t each = 1;
  if (shape.command == StoreCommand::kHashGet) each = shape.field_count;
  if (shape.command == StoreCommand::kHashGetAll) each = 8;
  if (shape.command == StoreCommand::kListRange || shape.command == StoreCommand::kSortedSetRange) {
    each = static_cast<std::size_t>(shape.count);
  }
  if (shape.command == StoreCommand::kSetMembers) each = 8;
  return each > kHintMax / (keys + 1) ? kHintMax : each * keys;
}

/// Writes a command for each key that differs only in the key.
void encode_each(KeySelection keys,
                 std::string_view head,
                 std::string_view tail,
                 CommandWriter& out) {
  for (std::size_t i = 0; i < keys.size(); ++i) out.word_between(head, keys[i], tail);
}

}  // namespace

void encode_batch(const CommandBatch& batch, KeySelection keys, CommandWriter& out) {
  std::string head;
  std::string tail;
  CommandWriter heads(head);
  CommandWriter tails(tail);
  switch (batch.command) {
    case StoreCommand::kHashGetAll:
      heads.begin(2);
      heads.word("HGETALL");
      break;
    case StoreCommand::kGet:
      heads.begin(2);
      heads.word("GET");
      break;
    case StoreCommand::kListRange:
      heads.begin(4);
      heads.word("LRANGE");
      tails.word("0");
      tails.word(batch.count - 1);
      break;
    case StoreCommand::kSortedSetRange:
      heads.begin(4 + (batch.reversed ? 1U : 0U) + (batch.with_scores ? 1U : 0U));
      heads.word("ZRANGE");
      tails.word("0");
      tails.word(batch.count - 1);
      if (batch.reversed) tails.word("REV");
      if (batch.with_scores) tails.word("WITHSCORES");
      break;
    case StoreCommand::kSetMembers:
      heads.begin(2);
      heads.word("SMEMBERS");
      break;
    case StoreCommand::kHashGet:
      heads.begin(2 + batch.fields.size());
      heads.word("HMGET");
      for (const std::string& field : batch.fields) tails.word(field);
      break;
    case StoreCommand::kMultiGet:
      out.begin(1 + keys.size());
      out.word("MGET");
      break;
  }
  encode_each(keys, head, tail, out);
}

BatchReply::BatchReply(const BatchShape& shape, KeySelection keys, rows::RowScratch& scratch)
    : shape_(shape),
      keys_(keys),
      texts_(scratch, shape.form == ValueForm::kInt64 ? 0 : capacity_hint(shape, keys.size())),
      integers_(scratch, shape.form == ValueForm::kInt64 ? capacity_hint(shape, keys.size()) : 0),
      scores_(scratch, shape.with_scores ? capacity_hint(shape, keys.size()) : 0),
      ends_(scratch.make_array<std::uint32_t>(keys.size())) {}

std::string_view BatchReply::key() const {
  if (shape_.command == StoreCommand::kMultiGet) {
    const std::size_t index = texts_.size();
    return index < keys_.size() ? keys_[index] : std::string_view("MGET");
  }
  return keys_[key_index_];
}

void BatchReply::mismatch(std::string_view found) {
  refuse(base::Error(base::ErrorCode::kNodeFailed,
                     "The store's reply has another form than that of " +
                         std::string(to_string(shape_.command)) + ": " + std::string(found) + ": " +
                         std::string(key()),
                     std::string(key())));
}

void BatchReply::refuse(base::Error error) {
  ignored_ = true;
  const bool is_shared = shape_.command == StoreCommand::kMultiGet;
  const auto index = is_shared ? KeyError::kAllKeys : static_cast<std::uint32_t>(key_index_);
  errors_.push_back({.key_index = index, .error = std::move(error)});
}

void BatchReply::add_integer(std::string_view text) {
  std::int64_t value = 0;
  // Most ids are short and positive.
  constexpr std::size_t kDigitsMax = 18;
  if (text.size() <= kDigitsMax && !text.empty()) [[likely]] {
    bool is_number = true;
    std::uint64_t number = 0;  // what are no digits may overflow it
    for (const char letter : text) {
      const auto digit = static_cast<unsigned char>(letter - '0');
      is_number &= digit <= 9;
      number = number * 10 + digit;
    }
    if (is_number) [[likely]] {
      integers_.append(static_cast<std::int64_t>(number));
      return;
    }
  }
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stopped == end && !text.empty()) [[likely]] {
    integers_.append(value);
    return;
  }
  not_an_id(text);
}

void BatchReply::not_an_id(std::string_view text) {
  if (shape_.command != StoreCommand::kSetMembers) {
    const bool is_list = shape_.command == StoreCommand::kListRange;
    return refuse(
        not_int64(is_list ? "list" : "sorted set", key(), integers_.size() - reply_begin_, text));
  }
  // Which one is named must not depend on the order in which the server happens to have them.
  if (!bad_member_ || text < *bad_member_) bad_member_ = text;
}

bool BatchReply::begin_scored(std::string_view found) {
  if (pairs_ == Pairs::kUnknown) {
    pairs_ = Pairs::kFlat;
    if (element_count_ % 2 != 0) {
      mismatch("a list of " + std::to_string(element_count_));
      return false;
    }
  }
  if (pairs_ == Pairs::kNested && !pair_is_open_) {
    mismatch(found);
    return false;
  }
  return true;
}

void BatchReply::add_scored(std::string_view text) {
  if (!begin_scored("text")) return;
  if (!wants_score_) {
    const std::size_t before = integers_.size();
    add_integer(text);
    wants_score_ = integers_.size() != before;
    return;
  }
  if (const std::optional<double> score = parse_score(text)) return add_score(*score);
  mismatch("a score that is no number");
}

void BatchReply::add_score(double score) {
  scores_.append(score);
  wants_score_ = false;
  pair_is_open_ = false;
}

void BatchReply::on_text(std::string_view text) {
  if (ignored_) return;
  if (shape_.command == StoreCommand::kGet) {
    texts_.append(text);
    return;
  }
  if (!inside_) return mismatch(is_null(text) ? "null" : "text");
  if (shape_.form == ValueForm::kInt64 && !is_null(text)) {
    return shape_.with_scores ? add_scored(text) : add_integer(text);
  }
  if (is_null(text) && !may_be_null()) return mismatch("null");
  texts_.append(text);
}

std::size_t BatchReply::take_texts(const char*& cursor, const char* end, std::size_t count) {
  const bool is_ids = shape_.form == ValueForm::kInt64;
  std::size_t taken = 0;
  for (; taken < count; ++taken) {
    const std::string_view text = try_read_bulk(cursor, end);
    if (text.data() == nullptr) break;
    if (ignored_) continue;
    if (shape_.with_scores) {
      add_scored(text);
    } else if (is_ids) {
      add_integer(text);
    } else {
      texts_.append(text);
    }
  }
  return taken;
}

void BatchReply::on_token(const RespToken& token) {
  if (ignored_) return;
  if (token.type == RespType::kError && !inside_) {
    const bool is_shared = shape_.command == StoreCommand::kMultiGet;
    return refuse(error_of_reply(token.text, is_shared ? "MGET" : key()));
  }
  if (inside_ && shape_.with_scores) return on_scored_token(token);
  if (token.type == RespType::kInteger && inside_ && shape_.form == ValueForm::kInt64) {
    integers_.append(token.integer);
    return;
  }
  const bool is_list =
      token.type == RespType::kArray ||
      (token.type == RespType::kMap && shape_.command == StoreCommand::kHashGetAll) ||
      (token.type == RespType::kSet && shape_.command == StoreCommand::kSetMembers);
  if (inside_ || !is_list || shape_.command == StoreCommand::kGet) {
    return mismatch(to_string(token.type));
  }
  open(token);
}

void BatchReply::on_scored_token(const RespToken& token) {
  const bool may_open = pairs_ == Pairs::kUnknown || (pairs_ == Pairs::kNested && !pair_is_open_);
  if (token.type == RespType::kArray && token.count == 2 && may_open) {
    pairs_ = Pairs::kNested;
    pair_is_open_ = true;
    if (element_count_ <= static_cast<std::size_t>(shape_.count)) return;
    return mismatch("a list of " + std::to_string(element_count_));
  }
  const bool is_number = token.type == RespType::kDouble || token.type == RespType::kInteger;
  if (!is_number) return mismatch(to_string(token.type));
  if (!begin_scored(to_string(token.type))) return;
  if (wants_score_) {
    const bool is_double = token.type == RespType::kDouble;
    const double score = is_double ? token.number : static_cast<double>(token.integer);
    return std::isnan(score) ? mismatch("a score that is no number") : add_score(score);
  }
  if (token.type == RespType::kDouble) return mismatch(to_string(token.type));
  integers_.append(token.integer);
  wants_score_ = true;
}

void BatchReply::open(const RespToken& token) {
  inside_ = true;
  element_count_ = token.count;
  bool fits = true;
  switch (shape_.command) {
    case StoreCommand::kHashGetAll:
      fits = token.type == RespType::kMap || token.count % 2 == 0;
      break;
    case StoreCommand::kHashGet:
      fits = token.count == shape_.field_count;
      break;
    case StoreCommand::kListRange:
      fits = token.count <= static_cast<std::size_t>(shape_.count);
      break;
    case StoreCommand::kSortedSetRange:
      // With scores there are twice as many elements in RESP2, and as many in RESP3.
      fits = token.count <= static_cast<std::size_t>(shape_.count) * (shape_.with_scores ? 2 : 1);
      break;
    case StoreCommand::kSetMembers:
      if (token.count <= static_cast<std::size_t>(shape_.count)) break;
      return refuse(set_too_large(key(), token.count, shape_.count));
    case StoreCommand::kMultiGet:
      fits = token.count == keys_.size();
      break;
    case StoreCommand::kGet:
      break;
  }
  if (!fits) mismatch("a list of " + std::to_string(token.count));
}

void BatchReply::on_reply_end() {
  if (bad_member_ && !ignored_) refuse(member_not_int64(key(), *bad_member_));
  bad_member_.reset();
  // A reply that was refused half-way may lack a score; those of other keys keep their places.
  if (shape_.with_scores && scores_.size() < integers_.size()) scores_.append(0);
  if (shape_.command == StoreCommand::kMultiGet) {
    for (std::size_t i = 0; i < ends_.size(); ++i) ends_[i] = static_cast<std::uint32_t>(i + 1);
  } else {
    ends_[key_index_++] = static_cast<std::uint32_t>(size());
  }
  reply_begin_ = size();
  inside_ = false;
  ignored_ = false;
  pairs_ = Pairs::kUnknown;
  pair_is_open_ = false;
  wants_score_ = false;
}

StoreReply BatchReply::finish() {
  StoreReply reply;
  reply.ends = std::move(ends_);
  if (shape_.form == ValueForm::kInt64) {
    reply.integers = integers_.finish();
    if (shape_.with_scores) reply.scores = scores_.finish();
  } else {
    reply.texts = texts_.finish();
  }
  return reply;
}

}  // namespace millrace::stores
