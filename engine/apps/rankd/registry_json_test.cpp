#include "apps/rankd/registry_json.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace millrace::rankd {
namespace {

TEST(RegistryJsonTest, CLI2_ShowsKeysParamsAndEndpoints) {
  const plan::Registry registry(
      {{.name = "score", .type = rows::ColumnType::kFloat64, .doc = "Rank."}},
      {{.name = "floor",
        .type = rows::ColumnType::kInt64,
        .nullable = false,
        .fallback = std::int64_t{2}}},
      {{.name = "store", .kind = plan::EndpointKind::kEmbedded, .data_file = "d.redis"},
       {.name = "web",
        .kind = plan::EndpointKind::kHttp,
        .host = "h",
        .port = 80,
        .policy = {.request_timeout = std::chrono::milliseconds(1500)}}});
  const std::string json = registry_json(registry);
  for (
      const char* const part :
      {R"({"keys":[)",
       R"("name":"score","type":"float","nullable":true,"allow_write":true,"lifecycle":"active","doc":"Rank.")",
       R"("name":"floor","type":"int","nullable":false,"allow_write":true,"lifecycle":"active","default":2)",
       R"("name":"store","kind":"embedded","data_file":"d.redis","policy":{)",
       R"("name":"web","kind":"http","host":"h","port":80,"tls":false,"policy":{)",
       R"("request_timeout_ms":1500)"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

}  // namespace
}  // namespace millrace::rankd
