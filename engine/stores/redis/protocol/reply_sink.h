#pragma once

#include <cstddef>
#include <string_view>

#include "stores/redis/protocol/resp_token.h"

namespace millrace::stores {

/// Takes the parts of replies as they are read. After the head of an aggregate its elements follow,
/// twice `count` of them for a map.
/// Threading: loop thread. Lifetime: texts are views that live as long as the memory which the
/// reader's caller says; see `RedisCall::keep`.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  /// A text or a null: the common case. Null is a view whose data() is nullptr.
  virtual void on_text(std::string_view text) = 0;
  /// Takes texts of an open aggregate from the front of the bytes, at most `count` and as many as
  /// are whole; moves `cursor` behind them and gives their number. The same as `on_text` for each:
  /// sinks override it to read them in one loop.
  virtual std::size_t take_texts(const char*& cursor, const char* end, std::size_t count) {
    for (std::size_t taken = 0; taken < count; ++taken) {
      const std::string_view text = try_read_bulk(cursor, end);
      if (text.data() == nullptr) return taken;
      on_text(text);
    }
    return count;
  }
  /// Anything else: a number, an error, the head of an aggregate.
  virtual void on_token(const RespToken& token) = 0;
  /// A whole reply is there.
  virtual void on_reply_end() = 0;
};

}  // namespace millrace::stores
