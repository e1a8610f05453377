#include "base/formats/xml_text.h"

namespace millrace::base {

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    switch (byte) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
      case '\t':
        out += byte;
        break;
      default:
        out += static_cast<unsigned char>(byte) < 0x20 ? '?' : byte;
    }
  }
  return out;
}

}  // namespace millrace::base
