#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::stores {

/// A path to GET with places for one value: `/items/{id}?v=1`. What stands outside braces is sent
/// as it is; the value is percent-encoded, so that it can be nothing but a value.
/// Threading: any thread; immutable.
class HttpPath {
 public:
  static constexpr std::size_t kBytesMax = 8192;

  /// An empty path, which nobody asks for.
  HttpPath() = default;

  /// Cuts `text` at `{name}` for each of `names`; refuses other names, unpaired braces, and what
  /// cannot stand in a request line.
  [[nodiscard]] static base::Result<HttpPath> parse(std::string_view text,
                                                    const std::vector<std::string>& names);

  /// Whether there is a place for a value.
  [[nodiscard]] bool has_value() const { return parts_.size() > 1; }
  /// The path with `value` in its places.
  [[nodiscard]] std::string fill(std::string_view value) const;

 private:
  // What stands before, between and after the places.
  std::vector<std::string> parts_ = {""};
};

/// Keeps letters, digits and `-._~`; all else becomes `%XX`.
void append_percent_encoded(std::string& out, std::string_view text);

}  // namespace millrace::stores
