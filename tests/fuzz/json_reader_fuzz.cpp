// For any text, our reader and an independent one agree on whether it is JSON and on every value.
// If only ours refuses the text, one of its stricter rules must be the reason.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/formats/json_reader.h"

namespace {

using millrace::base::JsonKind;
using millrace::base::JsonProblemCode;
using millrace::base::JsonValue;
using Reference = nlohmann::ordered_json;

void check_same(JsonValue value, const Reference& reference) {
  switch (value.kind()) {
    case JsonKind::kNull:
      MR_CHECK(reference.is_null());
      return;
    case JsonKind::kBool:
      MR_CHECK(reference == *value.find_bool());
      return;
    case JsonKind::kInt:
      MR_CHECK(reference.is_number_integer());
      MR_CHECK(reference.get<std::int64_t>() == *value.find_int());
      return;
    case JsonKind::kUnsigned:
      MR_CHECK(reference.is_number_unsigned());
      MR_CHECK(reference.get<std::uint64_t>() == *value.find_unsigned());
      return;
    case JsonKind::kFloat:
      // "-0" is an integer for our reader and a float for the other.
      MR_CHECK(reference.is_number());
      MR_CHECK(reference.get<double>() == *value.find_number());
      return;
    case JsonKind::kString:
      MR_CHECK(reference.is_string());
      MR_CHECK(reference.get_ref<const std::string&>() == *value.find_string());
      return;
    case JsonKind::kArray: {
      MR_CHECK(reference.is_array());
      MR_CHECK(reference.size() == value.size());
      auto expected = reference.begin();
      for (const JsonValue item : value.children()) check_same(item, *expected++);
      return;
    }
    case JsonKind::kObject: {
      MR_CHECK(reference.is_object());
      MR_CHECK(reference.size() == value.size());
      auto expected = reference.begin();
      for (const JsonValue member : value.children()) {
        MR_CHECK(member.key() == expected.key());
        MR_CHECK(member.key_offset() < member.offset());
        check_same(member, *expected++);
      }
      return;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = millrace::base::read_json(text);
  const Reference reference = Reference::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document) {
    MR_CHECK(!reference.is_discarded(), text);
    check_same(document->root(), reference);
  } else if (document.error().code == JsonProblemCode::kSyntax && reference.is_structured()) {
    // The other reader skips a byte order mark and ends at a zero byte; ours refuses both.
    const bool is_lenient = text.starts_with("\xEF\xBB\xBF") || text.contains('\0');
    MR_CHECK(is_lenient, document.error().message, text);
  }
  return 0;
}
