#pragma once

#include <string>
#include <string_view>

namespace millrace::runtime {

/// Appends `text` as a JSON string with its quotes. Any bytes are accepted: what JSON cannot hold
/// is escaped, and every byte that is not part of valid UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace millrace::runtime
