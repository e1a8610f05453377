#include "stores/data_line.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_plain(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '\'' && c != '\\' && c != '\x7f';
}

/// Reads what follows a backslash at `line[at]`; gives the place after it.
Result<std::size_t> read_escape(std::string_view line, std::size_t at, std::string& out) {
  const char kind = at < line.size() ? line[at] : '\0';
  switch (kind) {
    case '"':
    case '\\':
      out += kind;
      return at + 1;
    case 'n':
      out += '\n';
      return at + 1;
    case 'r':
      out += '\r';
      return at + 1;
    case 't':
      out += '\t';
      return at + 1;
    case 'x': {
      const int high = at + 1 < line.size() ? hex_value(line[at + 1]) : -1;
      const int low = at + 2 < line.size() ? hex_value(line[at + 2]) : -1;
      if (high < 0 || low < 0) break;
      out += static_cast<char>(high * 16 + low);
      return at + 3;
    }
    default:
      break;
  }
  return fail(ErrorCode::kInvalidArgument, "Unknown escape in quotes");
}

/// Reads from after the opening quote; gives the place after the closing one.
Result<std::size_t> read_quoted(std::string_view line, std::size_t at, std::string& out) {
  while (at < line.size() && line[at] != '"') {
    if (line[at] == '\\') {
      MR_TRY(at, read_escape(line, at + 1, out));
    } else {
      out += line[at++];
    }
  }
  if (at == line.size()) return fail(ErrorCode::kInvalidArgument, "Quotes are not closed");
  ++at;
  if (at < line.size() && line[at] != ' ') {
    return fail(ErrorCode::kInvalidArgument, "A space must follow the closing quote");
  }
  return at;
}

Result<std::size_t> read_plain(std::string_view line, std::size_t at, std::string& out) {
  while (at < line.size() && line[at] != ' ') {
    if (!is_plain(line[at])) {
      return fail(ErrorCode::kInvalidArgument,
                  "A quote, backslash or control byte needs double quotes around the word");
    }
    out += line[at++];
  }
  return at;
}

}  // namespace

Result<std::size_t> split_words(std::string_view line, std::vector<std::string>& words) {
  std::size_t count = 0;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && line[at] == ' ') ++at;
    if (at == line.size()) return count;
    if (count == words.size()) words.emplace_back();
    std::string& word = words[count++];
    word.clear();
    if (line[at] == '"') {
      MR_TRY(at, read_quoted(line, at + 1, word));
    } else {
      MR_TRY(at, read_plain(line, at, word));
    }
  }
}

void append_word(std::string& out, std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) {
    out += word;
    return;
  }
  out += '"';
  for (const char c : word) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      out += "\\x";
      out += kHexDigits[static_cast<unsigned char>(c) / 16];
      out += kHexDigits[static_cast<unsigned char>(c) % 16];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace millrace::stores
