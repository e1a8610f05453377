#include "server/pages/json_indent.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace millrace::server {
namespace {

void break_line(std::size_t depth, std::string& out) {
  out += '\n';
  out.append(2 * depth, ' ');
}

/// Gives the index after the string that begins at `begin`.
std::size_t end_of_string(std::string_view json, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return at < json.size() ? at + 1 : json.size();
}

}  // namespace

void append_indented(std::string_view json, std::string& out) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char byte = json[at];
    if (byte == '"') {
      const std::size_t end = end_of_string(json, at);
      out += json.substr(at, end - at);
      at = end;
      continue;
    }
    ++at;
    if (byte == '{' || byte == '[') {
      out += byte;
      if (at < json.size() && (json[at] == '}' || json[at] == ']')) {
        out += json[at++];
      } else {
        break_line(++depth, out);
      }
    } else if (byte == '}' || byte == ']') {
      if (depth > 0) --depth;
      break_line(depth, out);
      out += byte;
    } else {
      out += byte;
      if (byte == ',') break_line(depth, out);
      if (byte == ':') out += ' ';
    }
  }
  out += '\n';
}

}  // namespace millrace::server
