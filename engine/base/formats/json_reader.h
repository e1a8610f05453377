#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "base/formats/json_document.h"
#include "base/text_place.h"

namespace millrace::base {

/// Bounds on a document; each is an error of its own, so text from outside can neither exhaust
/// memory nor stack.
struct JsonLimits {
  std::size_t text_bytes_max = 16UL << 20;
  std::size_t string_bytes_max = 1UL << 20;
  std::size_t value_count_max = 1'000'000;
  /// Objects and arrays inside each other; the outermost counts as 1. At most 1000.
  std::size_t depth_max = 64;
};

enum class JsonProblemCode : std::uint8_t {
  kSyntax,
  kNotUtf8,
  kDuplicateKey,
  kNumberRange,  ///< beyond double, or an integer beyond 64 bits
  kTooDeep,
  kTooLarge,  ///< bytes of the text or of a string, or number of values
};

/// Why a text is not a document, and where.
struct JsonProblem {
  JsonProblemCode code = JsonProblemCode::kSyntax;
  TextPlace place;
  std::string message;
};

/// Reads JSON strictly (RFC 8259, root an object or array, no duplicate keys, valid UTF-8) and
/// keeps its buffers for the next text.
/// Threading: not shared.
class JsonReader {
 public:
  explicit JsonReader(JsonLimits limits = {});
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  /// Replaces what `document` holds; on failure it holds nothing that may be used.
  [[nodiscard]] std::expected<void, JsonProblem> read(std::string_view text,
                                                      JsonDocument& document);

 private:
  struct Parser;
  JsonLimits limits_;
  std::unique_ptr<Parser> parser_;
};

/// Reads one text.
[[nodiscard]] std::expected<JsonDocument, JsonProblem> read_json(std::string_view text,
                                                                 JsonLimits limits = {});

}  // namespace millrace::base
