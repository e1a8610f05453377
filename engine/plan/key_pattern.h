#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::plan {

/// Text of store keys with names in braces, whose values take their place: `follow:{id}`,
/// `feed:{country}:{id}`, or `trending`, which has none.
struct KeyPattern {
  struct Place {
    std::string name;
    std::string suffix;  ///< the text behind it, up to the next name
    friend bool operator==(const Place&, const Place&) = default;
  };

  std::string prefix;  ///< the text before the first name
  std::vector<Place> places;
  friend bool operator==(const KeyPattern&, const KeyPattern&) = default;
};

/// Takes a pattern apart. Refuses an empty text, a name that is empty and braces that do not match.
[[nodiscard]] base::Result<KeyPattern> parse_key_pattern(std::string_view text);

/// The text that `parse_key_pattern` takes apart.
[[nodiscard]] std::string to_string(const KeyPattern& pattern);

}  // namespace millrace::plan
