#include "observe/span_builder.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "observe/otlp_fixture.h"

namespace millrace::observe {
namespace {

std::map<std::string, Span> by_name(const std::vector<Span>& spans) {
  std::map<std::string, Span> named;
  for (const Span& span : spans) named[span.name + (span.error.empty() ? "" : "!")] = span;
  return named;
}

std::string text(const Span& span, std::string_view name) {
  for (const auto& [key, value] : span.attributes) {
    if (key != name) continue;
    const auto* const number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
  }
  return "none";
}

TEST(SpanBuilderTest, S41_ServerThenRunThenNodesThenStoreCalls) {
  std::vector<Span> spans;
  const FinishedRequest request = testing::finished_request();
  append_spans(request, spans);
  ASSERT_EQ(spans.size(), 6U);
  EXPECT_EQ(span_count_of(request), 6U);
  auto named = by_name(spans);
  const Span& server = named.at("POST /v1/rank/{plan}!");
  const Span& run = named.at("run home!");
  const Span& source = named.at("src");
  const Span& fetch = named.at("fetch!");
  const Span& good = named.at("redis redis_main");
  const Span& bad = named.at("redis redis_main!");
  EXPECT_EQ(server.kind, SpanKind::kServer);
  EXPECT_EQ(server.id, 0xabcU);
  EXPECT_EQ(server.parent, request.trace.parent);
  EXPECT_EQ(run.parent, server.id);
  EXPECT_EQ(source.parent, run.id);
  EXPECT_EQ(fetch.parent, run.id);
  EXPECT_EQ(good.parent, fetch.id);
  EXPECT_EQ(bad.parent, fetch.id);
  EXPECT_EQ(good.kind, SpanKind::kClient);
  std::set<std::uint64_t> ids;
  for (const Span& span : spans) {
    EXPECT_EQ(span.trace, request.trace.trace);
    EXPECT_LE(span.start_ns, span.end_ns);
    EXPECT_TRUE(ids.insert(span.id).second);
    EXPECT_NE(span.id, 0U);
  }
  EXPECT_EQ(server.start_ns, 1'700'000'000'000'100'000);
  EXPECT_EQ(source.end_ns, 1'700'000'000'000'150'000);
  EXPECT_EQ(text(server, "http.response.status_code"), "502");
  EXPECT_EQ(text(server, "error.type"), "endpoint_unavailable");
  EXPECT_EQ(text(run, "rank.plan.version"), "v3");
  EXPECT_EQ(text(source, "rank.rows.out"), "5");
  EXPECT_EQ(text(source, "rank.queue_delay_us"), "10");
  EXPECT_EQ(text(fetch, "rank.node.op"), "hydrate");
  EXPECT_EQ(text(fetch, "rank.node.inline_depth"), "1");
  EXPECT_EQ(text(good, "db.system.name"), "redis");
  EXPECT_EQ(text(good, "db.operation.batch.size"), "5");
  EXPECT_EQ(text(bad, "error.type"), "unavailable");
}

TEST(SpanBuilderTest, S41_OtherServersOfATraceHaveOtherSpans) {
  std::vector<Span> spans;
  append_spans(testing::finished_request(1), spans);
  append_spans(testing::finished_request(2), spans);
  std::set<std::uint64_t> ids;
  for (const Span& span : spans) EXPECT_TRUE(ids.insert(span.id).second) << span.name;
}

TEST(SpanBuilderTest, S41_ALineOfABatchHasASpanInThatOfTheBatch) {
  FinishedRequest request = testing::finished_request();
  request.trace.parent = 77;
  request.line = 12;
  std::vector<Span> spans;
  append_spans(request, spans);
  auto named = by_name(spans);
  const Span& line = named.at("batch line!");
  EXPECT_EQ(line.parent, 77U);
  EXPECT_EQ(line.kind, SpanKind::kInternal);
  EXPECT_EQ(named.at("run home!").parent, line.id);
  EXPECT_EQ(text(line, "http.route"), "none");
  EXPECT_EQ(text(line, "rank.batch.line"), "12");
}

TEST(SpanBuilderTest, ACallersMistakeIsNoErrorOfTheServer) {
  FinishedRequest request = testing::finished_request();
  request.capture = nullptr;
  request.status = 422;
  request.error = "bad_value";
  std::vector<Span> spans;
  append_spans(request, spans);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].error, "");
  EXPECT_EQ(text(spans[0], "error.type"), "bad_value");
}

}  // namespace
}  // namespace millrace::observe
