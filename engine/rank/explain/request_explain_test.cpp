#include "rank/explain/request_explain.h"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/explain/explain_fixture.h"

namespace millrace::rank {
namespace {

using testing::ExplainEngine;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPipeline = R"json([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 10}},
    {"id": "v", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id * $weight"}},
    {"id": "f", "op": "filter", "inputs": ["v"], "params": {"pred": "score < 14.0 and not (id == $req.limit)"
}
},
    {"id": "g", "op": "filter", "inputs": ["f"], "params": {"pred": "id < 100"}},
    {"id": "o", "op": "sort", "inputs": ["g"], "params": {"key": "score", "order": "desc"}},
    {"id": "t", "op": "take", "inputs": ["o"], "params": {"count": 3}}])json";

TEST(RequestExplainTest, EXPL1_TellsServedCutDroppedAndNeverFetchedInTheOrderOfTheIds) {
  ExplainEngine engine;
  engine.load(kPipeline, R"(["t"])");
  EXPECT_EQ(
      engine.explain(R"({"user_id": 1, "explain": {"ids": [11, 6, 3, 8]}})"),
      R"([{"id":11,"verdict":"never_fetched",)"
      R"("sentence":"never fetched: no row of `s` (fixed_source) has this id","paths":[],)"
      R"("absent_from":[{"node":"s","op":"fixed_source","rows":10}]},)"
      R"json({"id":6,"verdict":"served","sentence":"served: 1st of 3 candidates, from output `t` (take)",)json"
      R"("paths":[{"verdict":"served","via":["s","v","f","g","o","t"],)"
      R"("rank":1,"output":"t","fields":{"score":12},)"
      R"json("sentence":"served: 1st of 3 candidates, from output `t` (take)"}]},)json"
      R"json({"id":3,"verdict":"cut","sentence":"cut: 4th by score 6, `t` (take) keeps the first 3",)json"
      R"("paths":[{"verdict":"cut","via":["s","v","f","g","o","t"],)"
      R"("by":"take","node":"t","op":"take","rank":4,"count":3,"values":{},)"
      R"json("sentence":"cut: 4th by score 6, `t` (take) keeps the first 3"}]},)json"
      R"json({"id":8,"verdict":"dropped","sentence":"dropped by `f` (filter): score 16 is not < 14.0",)json"
      R"("paths":[{"verdict":"dropped","via":["s","v","f"],)"
      R"json("by":"predicate","node":"f","op":"filter",)json"
      R"json("predicate":"score < 14.0 and not (id == $req.limit)",)json"
      R"("values":{"score":16,"id":8,"$req.limit":null},)"
      R"json("sentence":"dropped by `f` (filter): score 16 is not < 14.0"}]}])json");
}

TEST(RequestExplainTest, AnIdThatIsAskedForTwiceIsToldTwice) {
  ExplainEngine engine;
  engine.load(kPipeline, R"(["t"])");
  const std::string once = engine.explain(R"({"user_id": 1, "explain": {"ids": [6]}})");
  const std::string one = once.substr(1, once.size() - 2);
  EXPECT_THAT(one, HasSubstr(R"("verdict":"served")"));
  EXPECT_EQ(engine.explain(R"({"user_id": 1, "explain": {"ids": [6, 6]}})"),
            "[" + one + "," + one + "]");
}

TEST(RequestExplainTest, EXPL2_ParamsOfTheRequestShowInTheValues) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 3}},
    {"id": "f", "op": "filter", "inputs": ["s"], "params": {"pred": "id > $weight"}}])",
              R"(["f"])");
  EXPECT_THAT(engine.explain(
                  R"({"user_id": 1, "param_overrides": {"weight": 2.5}, "explain": {"ids": [2]}})"),
              HasSubstr(R"("values":{"id":2,"$weight":2.5})"));
}

TEST(RequestExplainTest, EXPL3_LimitAndExcludeOfTheRequestCut) {
  ExplainEngine engine;
  engine.load(R"([{"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 5}}])",
              R"(["s"])");
  const std::string told = engine.explain(
      R"({"user_id": 1, "limit": 2, "exclude": [1], "explain": {"ids": [1, 3, 4]}})");
  EXPECT_THAT(told, HasSubstr(R"("by":"exclude","rank":1,"output":"s")"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"served","via":["s"],"rank":2,)"));
  EXPECT_THAT(told, HasSubstr(R"("by":"limit","rank":3,"output":"s","limit":2)"));
}

TEST(RequestExplainTest, APlanWithoutItsArtifactSaysThatItCannotBeExplained) {
  ExplainEngine engine;
  engine.load(R"([{"id": "s", "op": "fixed_source", "inputs": [], "params": {}}])",
              R"(["s"])",
              /*keep_artifact=*/false);
  EXPECT_THAT(engine.ask(R"({"user_id": 1, "explain": {"ids": [1]}})"),
              HasSubstr("loaded without its artifact"));
  EXPECT_THAT(engine.ask(R"({"user_id": 1})"), Not(HasSubstr("error")));
}

TEST(RequestExplainTest, TheTwinIsMadeOnceWhoeverAsksFirst) {
  ExplainEngine engine;
  engine.load(kPipeline, R"(["t"])");
  std::vector<LoadedPlan*> twins(4);
  {
    std::vector<std::jthread> threads;
    for (LoadedPlan*& twin : twins)
      threads.emplace_back([&] { twin = engine.plan().explain_twin().value(); });
  }
  for (LoadedPlan* const twin : twins) EXPECT_EQ(twin, twins.front());
  // The plan itself fuses filters, and sort with take; its twin keeps every node.
  EXPECT_EQ(engine.plan().plan().nodes.size(), 4U);
  EXPECT_EQ(twins.front()->plan().nodes.size(), 6U);
  EXPECT_EQ(twins.front()->plan().digest, engine.plan().plan().digest);
}

TEST(RequestExplainTest, AnOutputThatLacksAKeyLeavesItOut) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}},
    {"id": "v", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id * 2"}}])",
              R"(["s", "v"])",
              /*keep_artifact=*/true,
              R"(["id", "score"])");
  const std::string answer = engine.ask(R"({"user_id": 1})");
  EXPECT_THAT(answer, HasSubstr(R"({"id":1,"fields":{},"output":"s"})"));
  EXPECT_THAT(answer, HasSubstr(R"({"id":1,"fields":{"score":2},"output":"v"})"));
}

TEST(RequestExplainTest, EXPL7_ExplainingChangesNoCandidate) {
  ExplainEngine engine;
  engine.load(kPipeline, R"(["t"])");
  const auto candidates = [&](std::string_view request) {
    const std::string response = engine.ask(request);
    return response.substr(response.find("\"candidates\""),
                           response.find("\"took_ms\"") - response.find("\"candidates\""));
  };
  const std::string plain = candidates(R"({"user_id": 1})");
  EXPECT_THAT(plain, HasSubstr(R"("id":6)"));
  EXPECT_EQ(candidates(R"({"user_id": 1, "explain": {"ids": [1]}})"), plain);
}

}  // namespace
}  // namespace millrace::rank
