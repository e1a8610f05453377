#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/reply_sink.h"
#include "stores/store_client.h"

namespace millrace::stores {

/// Which keys of a batch are asked for.
/// Lifetime: borrows keys and indices.
struct KeySelection {
  const KeyList* keys = nullptr;
  std::span<const std::uint32_t> chosen = {};  ///< all keys if empty

  [[nodiscard]] std::size_t size() const { return chosen.empty() ? keys->size() : chosen.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t index) const {
    return (*keys)[chosen.empty() ? index : chosen[index]];
  }
};

/// What a batch asks, without its keys.
struct BatchShape {
  StoreCommand command = StoreCommand::kGet;
  ValueForm form = ValueForm::kText;
  std::int64_t count = 0;
  std::size_t field_count = 0;
  bool reversed = false;
  bool with_scores = false;
  bool operator==(const BatchShape&) const = default;
};

/// What is wrong with the reply for one key.
struct KeyError {
  static constexpr std::uint32_t kAllKeys = UINT32_MAX;  ///< they share a reply

  std::uint32_t key_index = 0;
  base::Error error;
};

/// Appends the commands of a batch for some of its keys.
void encode_batch(const CommandBatch& batch, KeySelection keys, CommandWriter& out);

/// Reads the replies to a batch straight into the columns of a `StoreReply`, and notes what is
/// wrong with them. Replies of another form than the command gives are errors that
/// name the key; they cannot put the connection out of step.
/// Threading: loop thread. Lifetime: borrows the keys and the scratch.
class BatchReply {
 public:
  BatchReply(const BatchShape& shape, KeySelection keys, rows::RowScratch& scratch);

  void on_text(std::string_view text);
  std::size_t take_texts(const char*& cursor, const char* end, std::size_t count);
  void on_token(const RespToken& token);
  void on_reply_end();

  /// What was wrong, at most one error for each reply, in order of keys.
  [[nodiscard]] std::vector<KeyError> take_errors() { return std::move(errors_); }
  /// Gives texts, integers, scores and ends.
  [[nodiscard]] StoreReply finish();

 private:
  [[nodiscard]] std::string_view key() const;
  void add_integer(std::string_view text);
  /// Takes one member or one score, whichever comes next.
  void add_scored(std::string_view text);
  void add_score(double score);
  /// Says whether the element that comes next may be a member; if not, notes an error.
  bool begin_scored(std::string_view found);
  void not_an_id(std::string_view text);
  [[nodiscard]] bool may_be_null() const {
    return shape_.command == StoreCommand::kHashGet || shape_.command == StoreCommand::kMultiGet;
  }
  void on_scored_token(const RespToken& token);
  void open(const RespToken& token);
  void mismatch(std::string_view found);
  /// Notes an error and ignores the rest of the reply.
  void refuse(base::Error error);
  [[nodiscard]] std::size_t size() const {
    return shape_.form == ValueForm::kInt64 ? integers_.size() : texts_.size();
  }

  const BatchShape shape_;
  const KeySelection keys_;
  rows::ArrayBuilder<std::string_view> texts_;
  rows::ArrayBuilder<std::int64_t> integers_;
  rows::ArrayBuilder<double> scores_;
  rows::Array<std::uint32_t> ends_;
  std::size_t key_index_ = 0;
  std::size_t reply_begin_ = 0;
  bool inside_ = false;   // an aggregate
  bool ignored_ = false;  // the rest of this reply
  // Of a reply with scores, whose pairs are lists of two in RESP3 and follow each other in RESP2.
  enum class Pairs : std::uint8_t { kUnknown, kFlat, kNested };
  Pairs pairs_ = Pairs::kUnknown;
  std::size_t element_count_ = 0;  // that the reply says it has
  bool pair_is_open_ = false;      // of kNested: its head was read, the score was not
  bool wants_score_ = false;
  // Of a set: the first member in byte order that is no integer; sets have no other order.
  std::optional<std::string> bad_member_;
  std::vector<KeyError> errors_;
};

}  // namespace millrace::stores
