#include "observe/trace_context.h"

#include <string>

#include <gtest/gtest.h>

namespace millrace::observe {
namespace {

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kParent = "00f067aa0ba902b7";

std::string field(std::string_view version, std::string_view flags, std::string_view rest = "") {
  return std::string(version) + "-" + std::string(kTrace) + "-" + std::string(kParent) + "-" +
         std::string(flags) + std::string(rest);
}

TEST(TraceContextTest, ReadsWhatTheStandardAllows) {
  const std::string text = field("00", "01");
  const auto parent = parse_traceparent(text);
  ASSERT_TRUE(parent.has_value());
  EXPECT_EQ(parent->trace_id, kTrace);
  EXPECT_EQ(parent->parent_id, kParent);
  EXPECT_TRUE(parent->is_sampled);
  EXPECT_FALSE(parse_traceparent(field("00", "00"))->is_sampled);
  EXPECT_TRUE(parse_traceparent(field("cc", "0b", "-more"))->is_sampled);
}

TEST(TraceContextTest, RefusesTheRest) {
  for (const std::string& bad :
       {std::string(),
        field("ff", "01"),
        field("00", "01", "-more"),
        field("00", "0"),
        field("00", "zz"),
        field("0x", "01"),
        field("cc", "01", "more"),
        "00-" + std::string(32, '0') + "-" + std::string(kParent) + "-01",
        "00-" + std::string(kTrace) + "-" + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + std::string(kParent) + "-01"})
    EXPECT_FALSE(parse_traceparent(bad)) << bad;
}

TEST(TraceContextTest, S41_AValidFieldGivesTraceAndParentElseANewTraceBegins) {
  base::SplitMix64 random(1);
  TraceSampler none(random, 0);
  const RequestTrace given = none.begin(field("00", "01"));
  EXPECT_EQ(to_text(given.trace), kTrace);
  std::string parent;
  append_hex(given.parent, parent);
  EXPECT_EQ(parent, kParent);
  EXPECT_TRUE(given.is_sampled);
  EXPECT_FALSE(none.begin(field("00", "00")).is_sampled);
  for (const std::string& bad : {std::string(), field("ff", "01"), std::string("garbage")}) {
    const RequestTrace fresh = none.begin(bad);
    EXPECT_NE(fresh.trace, TraceIdBits());
    EXPECT_NE(fresh.trace, none.begin(bad).trace) << "each is a trace of its own";
    EXPECT_EQ(fresh.parent, 0U);
    EXPECT_FALSE(fresh.is_sampled);
  }
}

TEST(TraceContextTest, S41_OfRequestsWithoutAParentAShareIsSampled) {
  base::SplitMix64 random(1);
  TraceSampler some(random, 0.25);
  int sampled = 0;
  for (int request = 0; request < 4000; ++request) sampled += some.begin("").is_sampled ? 1 : 0;
  EXPECT_NEAR(sampled, 1000, 100);
  EXPECT_FALSE(some.begin(field("00", "00")).is_sampled) << "the caller has decided";
}

}  // namespace
}  // namespace millrace::observe
