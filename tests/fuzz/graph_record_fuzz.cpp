// Whatever bytes come in as a record, reading them ends with a record or with an error that has a
// place. The first byte says whether the lines get good checksums, so that what is behind the
// checksum is tried as well.

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/format.h"
#include "graph/record/record_file.h"
#include "graph/record/record_line.h"

namespace {

std::string with_checksums(std::string_view text) {
  std::string signed_text;
  millrace::graph::RecordChain chain;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    chain.add(line);
    signed_text += millrace::base::format("{:016x} {}\n", chain.value(), line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return signed_text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::istringstream stream(data[0] % 2 == 0 ? std::string(text) : with_checksums(text));
  const auto file = millrace::graph::read_record(stream);
  if (file) {
    MR_CHECK(!file->reason.empty());
  } else {
    MR_CHECK(!file.error().message().empty());
    MR_CHECK(file.error().where().starts_with("line "));
  }
  return 0;
}
