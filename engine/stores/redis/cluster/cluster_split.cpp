#include "stores/redis/cluster/cluster_split.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "stores/redis/cluster/slot_hash.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/redis/redis_call.h"

namespace millrace::stores {

namespace {

/// Reads what a CommandWriter has written.
class WordCursor {
 public:
  explicit WordCursor(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t position() const { return at_; }
  /// Gives the number of words of the next command.
  [[nodiscard]] std::size_t begin_command() { return next().count; }
  [[nodiscard]] std::string_view word() { return next().text; }

 private:
  RespToken next() {
    RespToken token;
    std::string_view problem;
    const TokenStatus status = read_token(bytes_.substr(at_), token, problem);
    MR_CHECK(status == TokenStatus::kComplete);
    at_ += token.size;
    return token;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

SplitCall split_multi_get(std::string_view bytes) {
  SplitCall split;
  split.is_multi_get = true;
  CommandWriter out(split.bytes);
  WordCursor cursor(bytes);
  const std::size_t words = cursor.begin_command();
  const std::string_view name = cursor.word();
  split.pieces.reserve(words - 1);
  for (std::size_t i = 1; i < words; ++i) {
    const std::string_view key = cursor.word();
    const std::size_t begin = out.size();
    out.command({name, key});
    split.pieces.push_back({.begin = begin, .size = out.size() - begin, .slot = slot_of(key)});
  }
  return split;
}

}  // namespace

SplitCall split_call(RedisCall& call) {
  SplitCall split;
  CommandWriter writer(split.bytes);
  call.encode(writer);
  split.pieces.reserve(call.command_count());
  WordCursor cursor(split.bytes);
  while (!cursor.at_end()) {
    const std::size_t begin = cursor.position();
    const std::size_t words = cursor.begin_command();
    MR_CHECK(words >= 2, words);
    if (cursor.word() == "MGET") {
      MR_CHECK(call.command_count() == 1);
      return split_multi_get(split.bytes);
    }
    const std::uint16_t slot = slot_of(cursor.word());
    for (std::size_t i = 2; i < words; ++i) static_cast<void>(cursor.word());
    split.pieces.push_back({.begin = begin, .size = cursor.position() - begin, .slot = slot});
  }
  MR_CHECK(split.pieces.size() == call.command_count());
  return split;
}

}  // namespace millrace::stores
