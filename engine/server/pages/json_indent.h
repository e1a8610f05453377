#pragma once

#include <string>
#include <string_view>

namespace millrace::server {

/// Appends JSON text with line breaks and two spaces per level, and a line end. The text must be
/// valid JSON without space between its tokens, as `base::JsonWriter` makes it.
void append_indented(std::string_view json, std::string& out);

}  // namespace millrace::server
