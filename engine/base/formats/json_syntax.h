#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace millrace::base {

/// A mistake in a JSON text.
struct JsonMistake {
  std::size_t offset = 0;  ///< of the byte that is wrong
  std::string message;
  bool is_cut_short = false;  ///< nothing is wrong up to the end of the text, which comes too early
};

/// Finds the first place where a text stops being JSON, and says what was expected there. For
/// messages only: `JsonReader` reads documents, and asks here when its parser refused one.
/// Values nest to any depth without using the stack.
[[nodiscard]] std::optional<JsonMistake> find_json_mistake(std::string_view text);

}  // namespace millrace::base
