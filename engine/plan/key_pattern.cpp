#include "plan/key_pattern.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"

namespace millrace::plan {

base::Result<KeyPattern> parse_key_pattern(std::string_view text) {
  const auto refuse = [text](std::string_view problem) {
    return base::fail(base::ErrorCode::kInvalidPlan,
                      "Not a key pattern, " + std::string(problem) + ": " + std::string(text));
  };
  if (text.empty()) return refuse("it is empty");
  KeyPattern pattern;
  std::string* literal = &pattern.prefix;
  std::string_view rest = text;
  for (;;) {
    const std::size_t brace = rest.find_first_of("{}");
    *literal = rest.substr(0, brace);
    if (brace == std::string_view::npos) return pattern;
    if (rest[brace] == '}') return refuse("'}' stands without '{'");
    rest.remove_prefix(brace + 1);
    const std::size_t end = rest.find_first_of("{}");
    if (end == std::string_view::npos || rest[end] == '{') return refuse("'{' has no '}'");
    if (end == 0) return refuse("a name is empty");
    pattern.places.push_back({.name = std::string(rest.substr(0, end)), .suffix = {}});
    literal = &pattern.places.back().suffix;
    rest.remove_prefix(end + 1);
  }
}

std::string to_string(const KeyPattern& pattern) {
  std::string text = pattern.prefix;
  for (const KeyPattern::Place& place : pattern.places) {
    text += "{" + place.name + "}" + place.suffix;
  }
  return text;
}

}  // namespace millrace::plan
