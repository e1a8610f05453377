#include "graph/record/entry_stream.h"

#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "graph/record/record_line.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;

std::string record_of(const std::vector<std::string_view>& entries) {
  std::string text;
  RecordChain chain;
  const auto add = [&](std::string_view entry) {
    chain.add(entry);
    text += base::format("{:016x} {}\n", chain.value(), entry);
  };
  add("{}");
  for (const std::string_view entry : entries) add(entry);
  return text;
}

TEST(EntryStream, WhatBodiesAskedStandsApart) {
  std::istringstream stream(record_of({R"({"is":"begin","domain":"main"})",
                                       R"({"is":"ask","component":"a","call":1,"value":7})",
                                       R"({"is":"line","component":"a","call":1,"text":"x"})",
                                       R"({"is":"submit","component":"a","call":1,"number":2,)"
                                       R"("has_room":true})",
                                       R"({"is":"call","domain":"main","component":"a","call":1,)"
                                       R"("begin":5,"spent":6,"told_at":3})"}));
  EntryStream entries(stream);
  ASSERT_NE(entries.front(), nullptr);
  EXPECT_EQ(entries.front()->kind, "begin");
  EXPECT_EQ(entries.front()->line, 2U);
  entries.pop();
  const CallFacts* const facts = entries.find_call("main", "a", 1);
  ASSERT_NE(facts, nullptr);
  EXPECT_EQ(facts->begin, 5ns);
  EXPECT_EQ(facts->spent, 6ns);
  EXPECT_EQ(facts->told_at, 3U);
  EXPECT_EQ((*entries.next_answer("a", 1))->find_int(), 7);
  EXPECT_FALSE(entries.next_answer("a", 1));
  EXPECT_EQ(entries.next_line("a", 1), "x");
  EXPECT_TRUE(entries.admits_task("a", 1, 2));
  EXPECT_FALSE(entries.admits_task("a", 1, 1));
  EXPECT_EQ(entries.front()->kind, "call");
  entries.pop();
  EXPECT_EQ(entries.front(), nullptr);
  EXPECT_FALSE(entries.error());
}

TEST(EntryStream, ACallIsLookedForUpToWhatItsDomainDoesNext) {
  std::istringstream stream(
      record_of({R"({"is":"call","domain":"own","component":"b","call":1})",
                 R"({"is":"run","domain":"main","component":"a"})",
                 R"({"is":"call","domain":"main","component":"a","call":1})"}));
  EntryStream entries(stream);
  EXPECT_EQ(entries.find_call("main", "a", 1), nullptr) << "main has gone on before";
  EXPECT_NE(entries.find_call("own", "b", 1), nullptr);
  entries.forget("b", 1);
  EXPECT_EQ(entries.find_call("own", "b", 1), nullptr);
}

// Looking at all that was read ahead for each call would take longer than all other tests together.
TEST(EntryStream, CallsOfALargeBatchAreFoundWithoutLookingThroughIt) {
  constexpr int kCalls = 60'000;
  std::string text = record_of({});
  RecordChain chain;
  chain.add("{}");
  for (int i = 1; i <= kCalls; ++i) {
    const std::string entry = base::format(
        R"({{"is":"call","domain":"main","component":"a","call":{},"begin":{}}})", i, i);
    chain.add(entry);
    text += base::format("{:016x} {}\n", chain.value(), entry);
  }
  std::istringstream stream(text);
  EntryStream entries(stream);
  for (int i = kCalls; i > 0; --i) {
    const CallFacts* const facts = entries.find_call("main", "a", static_cast<std::uint64_t>(i));
    ASSERT_NE(facts, nullptr);
    ASSERT_EQ(facts->begin, base::Duration(i));
  }
}

TEST(EntryStream, ACallIsFoundAgainOnceItsDomainWasGoneOnWith) {
  std::istringstream stream(
      record_of({R"({"is":"begin","domain":"main"})",
                 R"({"is":"begin","domain":"main"})",
                 R"({"is":"call","domain":"main","component":"a","call":1})"}));
  EntryStream entries(stream);
  for (int i = 0; i < 2; ++i) {
    ASSERT_NE(entries.front(), nullptr);
    EXPECT_EQ(entries.find_call("main", "a", 1), nullptr);
    entries.pop();
  }
  EXPECT_NE(entries.find_call("main", "a", 1), nullptr);
}

TEST(EntryStream, ADamagedRecordEndsIt) {
  std::string text = record_of({R"({"is":"begin","domain":"main"})"});
  text.back() = 'x';
  std::istringstream stream(text);
  EntryStream entries(stream);
  EXPECT_EQ(entries.front(), nullptr);
  EXPECT_TRUE(entries.error());
}

TEST(EntryStream, WhatIsReadAheadIsBounded) {
  std::vector<std::string_view> entries(EntryStream::kReadAheadMax / 2048,
                                        R"({"is":"line","component":"a","call":1,"hex":"61"})");
  entries.emplace_back(R"({"is":"begin","domain":"main"})");
  std::istringstream stream(record_of(entries));
  EntryStream stream_of_entries(stream);
  EXPECT_EQ(stream_of_entries.front(), nullptr);
  ASSERT_TRUE(stream_of_entries.error());
  EXPECT_EQ(stream_of_entries.error()->code(), base::ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace millrace::graph
