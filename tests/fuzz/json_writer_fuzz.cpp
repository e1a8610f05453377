// For any bytes and numbers, the writer gives a document that an independent parser reads back to
// the same values.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/formats/json_writer.h"

namespace {

template <class Number>
Number take(std::string_view& input) {
  Number number{};
  const std::size_t count = std::min(sizeof(number), input.size());
  std::memcpy(&number, input.data(), count);
  input.remove_prefix(count);
  return number;
}

void check_round_trip(std::int64_t integer, double real, std::string_view text) {
  std::string out;
  millrace::base::JsonWriter json(out);
  json.begin_array();
  json.value(integer);
  json.value(real);
  json.value(text);
  json.end_array();

  const nlohmann::json read = nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false);
  MR_CHECK(!read.is_discarded(), out);
  MR_CHECK(read.size() == 3, out);
  MR_CHECK(read[0].get<std::int64_t>() == integer, out);
  if (std::isfinite(real)) {
    MR_CHECK(read[1].get<double>() == real, out);
  } else {
    MR_CHECK(read[1].is_null(), out);
  }
  // Repairing text twice gives the same as once, and valid text is not changed.
  const auto repaired = read[2].get<std::string>();
  std::string again;
  millrace::base::append_json_string(again, repaired);
  MR_CHECK(nlohmann::json::parse(again).get<std::string>() == repaired, again);
  if (repaired.find("\uFFFD") == std::string::npos) MR_CHECK(repaired == text, out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto integer = take<std::int64_t>(input);
  const auto real = take<double>(input);
  check_round_trip(integer, real, input);
  return 0;
}
