// For any text, reading it as a registry file gives a value or a problem with a message.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/formats/toml_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = millrace::base::read_toml(text);
  if (document) {
    MR_CHECK(document->root().is(millrace::base::JsonKind::kObject));
  } else {
    MR_CHECK(!document.error().message.empty());
  }
  return 0;
}
