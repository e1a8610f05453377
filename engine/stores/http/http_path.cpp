#include "stores/http/http_path.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace millrace::stores {
namespace {

std::unexpected<base::Error> refuse(const std::string& why, std::string_view text) {
  return base::fail(
      base::ErrorCode::kInvalidPlan, "Bad path, " + why + ": " + std::string(text), "path");
}

bool is_unreserved(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' || letter == '_' ||
         letter == '~';
}

/// Visible ASCII without the fragment sign, which is never sent.
bool may_be_sent(char letter) { return letter > ' ' && letter < '\x7f' && letter != '#'; }

}  // namespace

base::Result<HttpPath> HttpPath::parse(std::string_view text,
                                       const std::vector<std::string>& names) {
  if (!text.starts_with('/')) return refuse("it must begin with /", text);
  if (text.size() > kBytesMax) return refuse("it is too long", text.substr(0, 40));
  if (!std::ranges::all_of(text, may_be_sent)) {
    return refuse("it holds a character that must be percent-encoded", text);
  }
  HttpPath path;
  std::string_view rest = text;
  while (true) {
    const std::size_t open = rest.find_first_of("{}");
    path.parts_.back() = rest.substr(0, open);
    if (open == std::string_view::npos) return path;
    const std::size_t close = rest.find('}', open);
    if (rest[open] == '}' || close == std::string_view::npos) {
      return refuse("a brace has no partner", text);
    }
    const std::string name(rest.substr(open + 1, close - open - 1));
    if (std::ranges::find(names, name) == names.end()) {
      return refuse("{" + name + "} is neither {id} nor the key `by`", text);
    }
    path.parts_.emplace_back();
    rest.remove_prefix(close + 1);
  }
}

std::string HttpPath::fill(std::string_view value) const {
  std::string out = parts_.front();
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    append_percent_encoded(out, value);
    out += parts_[i];
  }
  return out;
}

void append_percent_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char letter : text) {
    if (is_unreserved(letter)) {
      out += letter;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
}

}  // namespace millrace::stores
