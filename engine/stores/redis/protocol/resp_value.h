#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stores/redis/protocol/reply_sink.h"
#include "stores/redis/protocol/resp_token.h"

namespace millrace::stores {

/// A whole reply as a tree that owns its texts: for greetings, pushes and tests. Batches do not use
/// it.
struct RespValue {
  RespType type = RespType::kNull;
  std::string text = {};
  std::int64_t integer = 0;
  double number = 0;
  std::vector<RespValue> elements = {};  ///< of a map: key, value, key, value, …

  [[nodiscard]] bool is_error() const { return type == RespType::kError; }
  /// Gives the value that stands behind a text in a map, or in an array of pairs; nullptr if there
  /// is none.
  [[nodiscard]] const RespValue* find(std::string_view name) const;
  /// Gives a form that people read, as `[1, "a", null]`.
  [[nodiscard]] std::string to_string() const;
  bool operator==(const RespValue&) const = default;
};

/// Builds trees; the finished ones are in `values`.
/// Threading: not shared.
class RespTreeSink final : public ReplySink {
 public:
  void on_text(std::string_view text) override;
  void on_token(const RespToken& token) override;
  void on_reply_end() override;

  std::vector<RespValue> values;

 private:
  struct Open {
    RespValue value;
    std::size_t left = 0;
  };
  void add(RespValue value);

  std::vector<Open> open_;
};

}  // namespace millrace::stores
