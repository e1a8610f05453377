#include "rank/request_explain.h"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/explain_fixture.h"

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
      R"([{"id":11,"verdict":"never_fetched","paths":[],)"
      R"("absent_from":[{"node":"s","op":"fixed_source","rows":10}]},)"
      R"({"id":6,"verdict":"served","paths":[{"verdict":"served","via":["s","v","f","g","o","t"],)"
      R"("rank":1,"output":"t","fields":{"score":12}}]},)"
      R"({"id":3,"verdict":"cut","paths":[{"verdict":"cut","via":["s","v","f","g","o","t"],)"
      R"("by":"take","node":"t","op":"take","rank":4,"count":3,"values":{}}]},)"
      R"({"id":8,"verdict":"dropped","paths":[{"verdict":"dropped","via":["s","v","f"],)"
      R"json("by":"predicate","node":"f","op":"filter",)json"
      R"json("predicate":"score < 14.0 and not (id == $req.limit)",)json"
      R"("values":{"score":16,"id":8,"$req.limit":null}}]}])");
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

TEST(RequestExplainTest, EXPL4_EachBranchIsAPath) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 9}},
    {"id": "a", "op": "filter", "inputs": ["s"], "params": {"pred": "id <= 4"}},
    {"id": "b", "op": "filter", "inputs": ["s"], "params": {"pred": "id >= 4"}},
    {"id": "c", "op": "concat", "inputs": ["a", "b"], "params": {}}])",
              R"(["c"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [4, 5]}})");
  EXPECT_THAT(told, HasSubstr(R"("via":["s","a","c"],"rank":4)"));
  EXPECT_THAT(told, HasSubstr(R"("via":["s","b","c"],"rank":5)"));
  EXPECT_THAT(told, HasSubstr(R"({"id":5,"verdict":"served","paths":[{"verdict":"dropped")"));
  EXPECT_THAT(told, HasSubstr(R"("via":["s","b","c"],"rank":6)"));
}

TEST(RequestExplainTest, NodesThatCountCutWithTheKeysTheyRead) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 6}},
    {"id": "v", "op": "vm", "inputs": ["s"], "params": {"out_key": "score", "expr": "id % 2"}},
    {"id": "g", "op": "group_limit", "inputs": ["v"], "params": {"by": "score", "count": 2}},
    {"id": "d", "op": "dedupe", "inputs": ["g"], "params": {"by": "score"}}])",
              R"(["d"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [6, 4, 2]}})");
  EXPECT_THAT(told,
              HasSubstr(R"("by":"group_limit","node":"g","op":"group_limit","rank":6,"count":2,)"
                        R"("values":{"score":0})"));
  EXPECT_THAT(told,
              HasSubstr(R"("by":"dedupe","node":"d","op":"dedupe","rank":4,"values":{"score":0})"));
  EXPECT_THAT(told, HasSubstr(R"({"id":2,"verdict":"served")"));
}

TEST(RequestExplainTest, JoinsDropByMatchAndUseTheirOtherSide) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 4}},
    {"id": "r", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "in", "op": "join", "inputs": ["s"], "params": {"rhs": "r", "kind": "semi"}},
    {"id": "out", "op": "join", "inputs": ["s"], "params": {"rhs": "r", "kind": "anti"}}])",
              R"(["in", "out"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1, 3]}})");
  EXPECT_THAT(told, HasSubstr(R"("by":"match","node":"out","op":"join","values":{"id":1})"));
  EXPECT_THAT(told, HasSubstr(R"("by":"no_match","node":"in","op":"join","values":{"id":3})"));
  EXPECT_THAT(told,
              HasSubstr(R"({"verdict":"used","via":["r","in"],"node":"in","op":"join",)"
                        R"("as":"lookup"})"));
}

TEST(RequestExplainTest, EXPL5_AFallbackThatTookThePlaceOfANodeIsNamed) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "e", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 1, "fail_after_sleep": true},
     "on_failure": {"use": "empty"}},
    {"id": "i", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 1, "fail_after_sleep": true},
     "on_failure": {"use": "input"}}])",
              R"(["e", "i"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [2]}})");
  EXPECT_THAT(told,
              HasSubstr(R"({"verdict":"dropped","via":["s","e"],"by":"fallback","node":"e",)"
                        R"("op":"sleep","values":{}})"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"served","via":["s","i"],"rank":2,"output":"i")"));
}

TEST(RequestExplainTest, RowsOfANodeThatStandsInGoOnAsThoseOfTheOther) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "b", "op": "fixed_source", "inputs": [], "params": {"row_count": 5}},
    {"id": "e", "op": "sleep", "inputs": ["s"], "params": {"duration_ms": 1, "fail_after_sleep": true},
     "on_failure": {"use": "node", "id": "b"}},
    {"id": "t", "op": "take", "inputs": ["e"], "params": {"count": 4}}])",
              R"(["t"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [2, 5, 9]}})");
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"dropped","via":["s","e"],"by":"fallback")"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"served","via":["b","e","t"],"rank":2)"));
  EXPECT_THAT(told, HasSubstr(R"({"verdict":"cut","via":["b","e","t"],"by":"take")"));
  EXPECT_THAT(told, HasSubstr(R"({"node":"b","op":"fixed_source","rows":5})"));
}

TEST(RequestExplainTest, ARowErrorThatDropsShowsWhatTheExpressionRead) {
  ExplainEngine engine;
  engine.load(R"([
    {"id": "s", "op": "fixed_source", "inputs": [], "params": {"row_count": 2}},
    {"id": "v", "op": "vm", "inputs": ["s"], "on_row_error": "drop",
     "params": {"out_key": "score", "expr": "id * 9223372036854775807"}}])",
              R"(["v"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1, 2]}})");
  EXPECT_THAT(told, HasSubstr(R"({"id":1,"verdict":"served")"));
  EXPECT_THAT(told,
              HasSubstr(R"("by":"row_error","node":"v","op":"vm",)"
                        R"("expr":"id * 9223372036854775807","values":{"id":2})"));
}

TEST(RequestExplainTest, RowsOfRequestFieldsEnterAtTheirNode) {
  ExplainEngine engine;
  engine.load(R"([{"id": "f", "op": "filter", "inputs": ["$req.user_id"],
                   "params": {"pred": "id > 5"}}])",
              R"(["f"])");
  EXPECT_THAT(
      engine.explain(R"({"user_id": 4, "explain": {"ids": [4]}})"),
      HasSubstr(R"({"verdict":"dropped","from":"$req.user_id","via":["f"],"by":"predicate")"));
  EXPECT_THAT(engine.explain(R"({"user_id": 4, "explain": {"ids": [7]}})"),
              HasSubstr(R"("absent_from":[{"node":"f","op":"filter","input":"$req.user_id"}])"));
}

TEST(RequestExplainTest, ARequestFieldThatAFallbackPassedThroughIsServed) {
  ExplainEngine engine;
  engine.load(R"([{"id": "w", "op": "sleep", "inputs": ["$req.user_id"],
                   "params": {"duration_ms": 1, "fail_after_sleep": true},
                   "on_failure": {"use": "input"}}])",
              R"(["w"])");
  EXPECT_THAT(engine.explain(R"({"user_id": 4, "explain": {"ids": [4]}})"),
              HasSubstr(R"({"verdict":"served","via":["w"],"rank":1)"));
}

TEST(RequestExplainTest, EXPL4_PathsAreBounded) {
  // Every stage doubles the ways of a row: 2^7 of them.
  std::string nodes =
      R"([{"id": "n0", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}})";
  for (int stage = 1; stage <= 7; ++stage) {
    const std::string before = "\"n" + std::to_string(stage - 1) + "\"";
    nodes += R"(, {"id": "n)" + std::to_string(stage) + R"(", "op": "concat", "inputs": [)" +
             before + ", " + before + R"(], "params": {}})";
  }
  ExplainEngine engine;
  engine.load(nodes + "]", R"(["n7"])");
  const std::string told = engine.explain(R"({"user_id": 1, "explain": {"ids": [1]}})");
  EXPECT_THAT(told, HasSubstr(R"("more_paths":true)"));
  std::size_t paths = 0;
  for (std::size_t at = told.find("\"via\""); at != std::string::npos;
       at = told.find("\"via\"", at + 1))
    ++paths;
  EXPECT_EQ(paths, kPathsMax);
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
