#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "stores/redis/resp_token.h"

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
  /// Anything else: a number, an error, the head of an aggregate.
  virtual void on_token(const RespToken& token) = 0;
  /// A whole reply is there.
  virtual void on_reply_end() = 0;
};

}  // namespace millrace::stores
