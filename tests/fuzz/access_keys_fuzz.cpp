// For any text, reading it as a file of keys gives keys or problems, and no secret opens a key
// whose hash is another one.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/digest.h"
#include "base/problems/problem_report.h"
#include "server/access/access_keys.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace millrace;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  base::ProblemReport report;
  const auto keys = server::AccessKeys::read(text, "keys.toml", nullptr, report);
  MR_CHECK(!report.has_errors() || !report.to_text().empty());
  if (report.has_errors()) return 0;
  MR_CHECK(keys.size() <= server::AccessKeys::kCountMax);
  for (const std::string_view secret : {std::string_view("secret"), text}) {
    const server::AccessKey* const found = keys.find(secret);
    if (found == nullptr) continue;
    MR_CHECK(found->digest == base::sha256_digest(secret));
    (void)found->may_use("home_feed");
  }
  return 0;
}
