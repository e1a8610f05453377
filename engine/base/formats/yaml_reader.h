#pragma once

#include <expected>
#include <string_view>

#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"

namespace millrace::base {

/// Reads one YAML 1.2 document into the same form as JSON, strictly.
///
/// Scalars follow the core schema: `yes`, `no`, `on` and `off` are words, numbers are decimal, `0x`
/// or `0o`, and what stands in quotes is always a string. The root is a mapping or a sequence.
/// These are errors: tags, a second document, keys that are not scalars or stand twice, an alias
/// inside the value it names, `.inf` and `.nan`, control characters. What an alias repeats counts
/// against `value_count_max` and `depth_max` like any other value, so aliases cannot exhaust
/// memory; `<<` is an ordinary key.
[[nodiscard]] std::expected<JsonDocument, JsonProblem> read_yaml(std::string_view text,
                                                                 const JsonLimits& limits = {});

}  // namespace millrace::base
