#include "nats/subject.h"

#include <algorithm>

namespace millrace::nats {

bool is_subject(std::string_view text) {
  if (text.empty() || text.starts_with('.') || text.ends_with('.')) return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::ranges::all_of(text, [](char byte) {
    return static_cast<unsigned char>(byte) > ' ' && byte != 127 && byte != '*' && byte != '>';
  });
}

}  // namespace millrace::nats
