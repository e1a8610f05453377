// Whatever text comes in, reading it as YAML ends within the limits, with a document or with a
// problem that has a message.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/formats/yaml_reader.h"

namespace {

using millrace::base::JsonKind;
using millrace::base::JsonValue;

std::size_t count_checked(JsonValue value, std::size_t depth, std::size_t depth_max) {
  MR_CHECK(depth <= depth_max);
  MR_CHECK(value.key_offset() <= value.offset() || depth == 0);
  std::size_t count = 1;
  const bool is_open = value.is(JsonKind::kArray) || value.is(JsonKind::kObject);
  for (const JsonValue child : value.children()) {
    count += count_checked(child, depth + 1, depth_max);
  }
  MR_CHECK(is_open || count == 1);
  MR_CHECK(count == value.end_index() - value.index());
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const millrace::base::JsonLimits limits{
      .text_bytes_max = 1UL << 16, .value_count_max = 2000, .depth_max = 16};
  const auto document = millrace::base::read_yaml(text, limits);
  if (document) {
    const std::size_t count = count_checked(document->root(), 0, limits.depth_max);
    MR_CHECK(count <= limits.value_count_max);
  } else {
    MR_CHECK(!document.error().message.empty());
    MR_CHECK(document.error().place.line > 0);
  }
  return 0;
}
