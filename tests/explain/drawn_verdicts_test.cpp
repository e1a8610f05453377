// Compares every path of every explained id of drawn plans with a plain run that writes down what
// becomes of each row.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "base/random.h"
#include "naive_plan.h"
#include "rank/explain/explain_ids.h"
#include "world.h"

namespace millrace::explain_test {
namespace {

using base::JsonValue;

std::string text_at(JsonValue object, std::string_view name) {
  const auto member = object.find_member(name);
  return member ? std::string(member->find_string().value_or("")) : std::string();
}

int weight_of(const NaiveEnd& end) {
  static const std::vector<std::string> kOrder{"served", "cut", "dropped", "used", "own", "unused"};
  const std::string name = end.is_own_duplicate ? "own" : end.verdict;
  return static_cast<int>(std::ranges::find(kOrder, name) - kOrder.begin());
}

// What a path says, in the words of the plain run.
NaiveEnd read_path(JsonValue path) {
  NaiveEnd end{.verdict = text_at(path, "verdict"), .by = text_at(path, "by")};
  for (const JsonValue node : path.find_member("via")->children())
    end.row.via.emplace_back(*node.find_string());
  if (const auto parent = path.find_member("parent_id")) end.row.parent = parent->find_int();
  if (const auto rank = path.find_member("rank"))
    end.rank = static_cast<std::size_t>(*rank->find_int());
  end.sentence = text_at(path, "sentence");
  return end;
}

class DrawnVerdicts {
 public:
  explicit DrawnVerdicts(std::uint64_t seed) : seed_(seed), plan_(NaivePlan::draw(seed)) {}

  void check() {
    SCOPED_TRACE(fmt::format("seed {}: {}", seed_, plan_.artifact()));
    World world(plan_.artifact(), seed_ % 5);
    const PlainData data = PlainData::read(world.data());
    base::SplitMix64 random(seed_);
    for (int round = 0; round < 3; ++round) {
      NaiveRequest request{.user = static_cast<std::int64_t>(1 + random.below(40))};
      if (round == 1) request.limit = 1 + random.below(6);
      std::map<std::int64_t, std::vector<NaiveEnd>> expected;
      for (NaiveEnd& end : run_naively(plan_, data, request))
        expected[end.row.id].push_back(std::move(end));
      if (round == 2 && !expected.empty()) {
        for (const auto& [id, ends] : expected) {
          if (random.chance(0.2)) request.exclude.insert(id);
        }
        expected.clear();
        for (NaiveEnd& end : run_naively(plan_, data, request))
          expected[end.row.id].push_back(std::move(end));
      }
      for (const std::int64_t nowhere : {std::int64_t{-1}, std::int64_t{99'999}}) expected[nowhere];
      compare(world, request, expected);
      if (::testing::Test::HasFailure()) return;
    }
  }

  static std::size_t verdicts;
  static std::map<std::string, std::size_t> seen;

 private:
  void compare(World& world,
               const NaiveRequest& request,
               const std::map<std::int64_t, std::vector<NaiveEnd>>& expected) {
    std::string ids;
    for (const auto& [id, ends] : expected) ids += fmt::format("{}{}", ids.empty() ? "" : ",", id);
    std::string exclude;
    for (const std::int64_t id : request.exclude)
      exclude += fmt::format("{}{}", exclude.empty() ? "" : ",", id);
    const std::string text =
        fmt::format(R"({{"user_id": {}{}, "exclude": [{}], "explain": {{"ids": [{}]}}}})",
                    request.user,
                    request.limit ? fmt::format(", \"limit\": {}", *request.limit) : "",
                    exclude,
                    ids);
    const auto response = base::read_json(world.ask(text));
    const auto told = response->root().find_member("explain");
    ASSERT_TRUE(told) << text << response->text();
    auto next = expected.begin();
    for (const JsonValue one : told->children()) {
      ASSERT_EQ(one.find_member("id")->find_int(), next->first);
      compare_id(one, next->second, text);
      if (::testing::Test::HasFailure()) return;
      ++next;
    }
    ASSERT_EQ(next, expected.end());
  }

  static void compare_id(JsonValue told, std::vector<NaiveEnd> expected, std::string_view text) {
    ++verdicts;
    const auto first = std::ranges::min_element(expected, {}, weight_of);
    const std::string verdict = first == expected.end() ? "never_fetched" : first->verdict;
    ++seen[verdict];
    EXPECT_EQ(text_at(told, "verdict"), verdict) << text;
    EXPECT_FALSE(text_at(told, "sentence").empty());
    std::multimap<std::string, NaiveEnd> open;
    for (NaiveEnd& end : expected) {
      std::string key = end.text();
      open.emplace(std::move(key), std::move(end));
    }
    for (const JsonValue path : told.find_member("paths")->children()) {
      const NaiveEnd end = read_path(path);
      const auto found = open.find(end.text());
      ASSERT_NE(found, open.end()) << end.text() << " of " << text;
      check_path(path, end, found->second);
      ++seen[end.by.empty() ? end.verdict : end.by];
      open.erase(found);
    }
    const bool is_cut_short = told.find_member("more_paths").has_value();
    EXPECT_EQ(is_cut_short, !open.empty()) << text;
    if (is_cut_short) {
      ++seen["more_paths"];
      EXPECT_EQ(told.find_member("paths")->size(), rank::kPathsMax);
    }
  }

  static void check_path(JsonValue path, const NaiveEnd& told, const NaiveEnd& expected) {
    EXPECT_FALSE(told.sentence.empty());
    if (!expected.sentence.empty()) EXPECT_EQ(told.sentence, expected.sentence);
    if (told.verdict == "served")
      EXPECT_EQ(told.sentence.rfind("served: ", 0), 0U) << told.sentence;
    for (const char* const part : {"fields", "values"}) {
      const auto values = path.find_member(part);
      if (!values) continue;
      for (const JsonValue value : values->children()) check_value(value, expected.row);
    }
  }

  // A value is one that the row had at this place.
  static void check_value(JsonValue value, const NaiveRow& row) {
    if (value.key() == "id") {
      EXPECT_EQ(value.find_int(), row.id);
    } else if (value.key() == "parent_id") {
      EXPECT_EQ(value.find_int(), row.parent);
    } else {
      const auto known = row.values.find(std::string(value.key()));
      ASSERT_NE(known, row.values.end()) << value.key() << " was never there";
      if (const auto text = value.find_string()) {
        EXPECT_EQ(*text, fmt::format("{}", known->second.value_or(-1))) << value.key();
      } else {
        EXPECT_EQ(value.find_number(), known->second) << value.key();
      }
    }
  }

  std::uint64_t seed_;
  NaivePlan plan_;
};

std::size_t DrawnVerdicts::verdicts = 0;
std::map<std::string, std::size_t> DrawnVerdicts::seen;

TEST(DrawnVerdictsTest, EXPL8_EveryPathOfEveryIdIsWhatAPlainRunSaw) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    DrawnVerdicts(seed).check();
    if (HasFailure()) return;
  }
  EXPECT_GT(DrawnVerdicts::verdicts, 10'000U);
  for (const char* const kind : {"served",
                                 "take",
                                 "skip",
                                 "dedupe",
                                 "group_limit",
                                 "diversify",
                                 "limit",
                                 "exclude",
                                 "predicate",
                                 "row_error",
                                 "match",
                                 "no_match",
                                 "used",
                                 "unused",
                                 "more_paths",
                                 "never_fetched"})
    EXPECT_GT(DrawnVerdicts::seen[kind], 0U) << kind;
}

}  // namespace
}  // namespace millrace::explain_test
