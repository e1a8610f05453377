#include "server/pages/fixed_page.h"

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "net/http/gzip.h"
#include "server/front_fixture.h"
#include "server/pages/openapi.h"

namespace millrace::server::testing {
namespace {

std::string unpacked(std::string_view packed) {
  net::GzipInflater inflater;
  std::string text;
  std::array<char, 4096> space;
  while (true) {
    const auto step = inflater.inflate(packed, space);
    text.append(space.data(), step.written);
    packed.remove_prefix(step.consumed);
    if (packed.empty() && step.written < space.size()) break;
  }
  EXPECT_TRUE(inflater.is_complete());
  return text;
}

TEST(FixedPageTest, S14_TheDocumentIsMadeOnceInEachForm) {
  for (const bool is_pretty : {false, true}) {
    const FixedPage& page = openapi_page(is_pretty);
    EXPECT_EQ(&page, &openapi_page(is_pretty));
    EXPECT_EQ(unpacked(page.gzip), page.plain);
    EXPECT_LT(page.gzip.size(), page.plain.size() / 3);
  }
  EXPECT_EQ(openapi_page(false).plain, openapi_document());
}

TEST(FixedPageTest, S9_ItIsSentPackedToThoseWhoAcceptIt) {
  FrontRig rig;
  auto& plain = rig.ask("GET", "/openapi.json");
  EXPECT_EQ(plain.reply_body, openapi_page(false).plain);
  EXPECT_EQ(field(plain, "Content-Encoding"), "");
  auto& packed = rig.ask("GET", "/openapi.json?pretty=1", {}, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(packed.reply_body, openapi_page(true).gzip);
  EXPECT_EQ(field(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(field(packed, "Content-Type"), "application/json");
}

}  // namespace
}  // namespace millrace::server::testing
