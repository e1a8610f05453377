#include "base/digest.h"

#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include <openssl/sha.h>

#include "base/format.h"

namespace millrace::base {

std::string sha256_digest(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  std::string text = "sha256:";
  for (const unsigned char byte : digest) format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

}  // namespace millrace::base
