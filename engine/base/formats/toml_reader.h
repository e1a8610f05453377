#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/formats/json_document.h"
#include "base/text_place.h"

namespace millrace::base {

/// Why a text is not TOML, and where.
struct TomlProblem {
  TextPlace place;
  std::string message;
};

/// Reads a TOML text of at most `text_bytes_max` bytes. The root is an object; members stand in the
/// order of the file. Numbers may be infinite or NaN.
[[nodiscard]] std::expected<JsonDocument, TomlProblem> read_toml(
    std::string_view text, std::size_t text_bytes_max = 1UL << 20);

}  // namespace millrace::base
