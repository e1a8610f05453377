#include "observe/otlp_json.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "observe/otlp_fixture.h"

namespace millrace::observe {
namespace {

using ::testing::HasSubstr;

TEST(OtlpJsonTest, S41_IdsAreHexDigitsAndNumbersOf64BitsAreTexts) {
  std::vector<Span> spans;
  append_spans(testing::finished_request(), spans);
  const std::string text = otlp_json(spans, {{"service.name", "rankd \"blue\""}});
  ASSERT_TRUE(base::read_json(text).has_value()) << text;
  EXPECT_THAT(text,
              ::testing::StartsWith(
                  R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name",)"
                  R"("value":{"stringValue":"rankd \"blue\""}}]},"scopeSpans":[{"scope":)"
                  R"({"name":"millrace"},"spans":[{"traceId":"4bf92f3577b34da6a3ce929d0e0e4736",)"
                  R"("spanId":"0000000000000abc","parentSpanId":"00f067aa0ba902b7",)"
                  R"("name":"POST /v1/rank/{plan}","kind":2,)"
                  R"("startTimeUnixNano":"1700000000000100000",)"
                  R"("endTimeUnixNano":"1700000000000500000",)"));
  EXPECT_THAT(text, HasSubstr(R"({"key":"http.response.status_code","value":{"intValue":"502"}})"));
  EXPECT_THAT(text, HasSubstr(R"("status":{"message":"endpoint_unavailable","code":2})"));
  EXPECT_THAT(text, HasSubstr(R"("status":{"code":0})"));
}

}  // namespace
}  // namespace millrace::observe
