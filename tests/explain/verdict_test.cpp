// Compares every verdict of an explained request with a run of the plan as written, without passes.
// Rows are only counted here, not followed: since each row of a node comes from one row of its
// inputs, the number of paths that end at a node is the number of rows that it left out.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "base/random.h"
#include "plan/compiled_plan.h"
#include "rank/request_run.h"
#include "rank/response.h"
#include "rows/row_set.h"
#include "world.h"

namespace millrace::explain_test {
namespace {

using base::JsonValue;
using rows::RowSet;

constexpr std::string_view kRichPlan = R"json({"schema_version": 1, "name": "rich", "nodes": [
  {"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}},
  {"id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default", "fanout": 6}},
  {"id": "fm", "op": "media", "inputs": ["f"], "params": {"endpoint": "redis_default", "fanout": 4}},
  {"id": "r", "op": "recommendation", "inputs": ["v"], "params": {"endpoint": "redis_default"}},
  {"id": "rm", "op": "media", "inputs": ["r"], "params": {"endpoint": "redis_default"}},
  {"id": "c", "op": "concat", "inputs": ["fm", "rm"], "params": {}},
  {"id": "h", "op": "hydrate", "inputs": ["c"], "params": {"endpoint": "redis_default", "prefix": "item"}},
  {"id": "k", "op": "filter", "inputs": ["h"], "params": {"pred": "likes >= 10 and id > 60"}},
  {"id": "l", "op": "filter", "inputs": ["k"], "params": {"pred": "not (language == 'en')"
}
},
  {"id": "d", "op": "dedupe", "inputs": ["l"], "params": {"by": "id"}},
  {"id": "g", "op": "group_limit", "inputs": ["d"], "params": {"by": "parent_id", "count": 3}},
  {"id": "o", "op": "sort", "inputs": ["g"], "params": {"key": "likes", "order": "desc"}},
  {"id": "s", "op": "skip", "inputs": ["o"], "params": {"count": 1}},
  {"id": "t", "op": "take", "inputs": ["s"], "params": {"count": 12}}],
  "outputs": ["t"], "output_keys": ["id", "likes"]
})json";

constexpr std::string_view kJoinPlan = R"json({"schema_version": 1, "name": "joins", "nodes": [
  {"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}},
  {"id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default"}},
  {"id": "r", "op": "recommendation", "inputs": ["v"], "params": {"endpoint": "redis_default"}},
  {"id": "in", "op": "join", "inputs": ["f"], "params": {"rhs": "r", "kind": "semi"}},
  {"id": "out", "op": "join", "inputs": ["f"], "params": {"rhs": "r", "kind": "anti"}},
  {"id": "w", "op": "interleave", "inputs": ["in", "out"], "params": {"pattern": "aab"}},
  {"id": "p", "op": "sample", "inputs": ["r"], "params": {"count": 4}}],
  "outputs": ["w", "p"], "output_keys": ["id"]})json";

std::size_t count_id(const RowSet* rows, std::int64_t id) {
  std::size_t count = 0;
  for (std::size_t at = 0; rows != nullptr && at < rows->size(); ++at)
    count += rows->batch()->ids()[rows->row_at(at)] == id ? 1 : 0;
  return count;
}

std::string text(JsonValue object, std::string_view name) {
  const auto member = object.find_member(name);
  return member ? std::string(member->find_string().value_or("")) : std::string();
}

std::size_t number(JsonValue object, std::string_view name) {
  return static_cast<std::size_t>(object.find_member(name).value().find_int().value());
}

bool is_equal(JsonValue json, const rows::Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return json.is(base::JsonKind::kNull);
  if (const auto* const flag = std::get_if<bool>(&value)) return json.find_bool() == *flag;
  if (const auto* const word = std::get_if<std::string_view>(&value))
    return json.find_string() == *word;
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return json.find_int() == *whole;
  return json.find_number() == std::get<double>(value);
}

bool has_values(const RowSet& rows, std::size_t at, JsonValue values) {
  for (const JsonValue value : values.children()) {
    const rows::Column* const column = rows.batch()->find_column(value.key());
    if (column == nullptr) continue;  // a param or a field, not a key
    if (!is_equal(value, column->value_at(rows.row_at(at)))) return false;
  }
  return true;
}

std::size_t count_rows(const RowSet& rows, std::int64_t id, JsonValue values) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const bool is_id = rows.batch()->ids()[rows.row_at(at)] == id;
    count += is_id && has_values(rows, at, values) ? 1 : 0;
  }
  return count;
}

class Oracle {
 public:
  Oracle(const rank::RequestRun& run, const stores::EmbeddedStore& store)
      : run_(run), plan_(run.plan().plan()), store_(store) {}

  std::set<std::int64_t> all_ids() const {
    std::set<std::int64_t> ids;
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) {
      for (std::size_t at = 0; at < run_.rows_of(node)->size(); ++at)
        ids.insert(run_.rows_of(node)->batch()->ids()[run_.rows_of(node)->row_at(at)]);
    }
    return ids;
  }

  void check(JsonValue told) {
    id_ = told.find_member("id")->find_int().value();
    left_out_.clear();
    served_.clear();
    seen_.insert(text(told, "verdict"));
    for (const JsonValue path : told.find_member("paths")->children()) check_path(path);
    check_candidates(text(told, "verdict"));
    check_account();
    if (const auto absent = told.find_member("absent_from")) check_absence(*absent);
    std::size_t anywhere = 0;
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node)
      anywhere += count_id(run_.rows_of(node), id_);
    EXPECT_EQ(text(told, "verdict") == "never_fetched", anywhere == 0) << id_;
  }

  const std::set<std::string>& seen() const { return seen_; }

 private:
  void check_path(JsonValue path) {
    std::vector<std::uint32_t> via;
    for (const JsonValue step : path.find_member("via")->children())
      via.push_back(plan_.find_node(*step.find_string()));
    ASSERT_FALSE(via.empty());
    const std::uint32_t last = via.back();
    const std::string verdict = text(path, "verdict");
    const std::string by = text(path, "by");
    seen_.insert(by.empty() ? verdict : by);
    for (std::size_t step = 0; step + 1 < via.size(); ++step)
      EXPECT_GT(count_id(run_.rows_of(via[step]), id_), 0U);
    if (verdict == "served") {
      served_.insert(number(path, "rank"));
    } else if (by == "limit") {
      EXPECT_GT(number(path, "rank"), static_cast<std::size_t>(*run_.request().limit));
    } else if (by == "exclude") {
      EXPECT_TRUE(std::ranges::binary_search(run_.request().exclude, id_));
      EXPECT_EQ(id_at(*run_.rows_of(last), number(path, "rank") - 1), id_);
    } else if (verdict == "used") {
      if (text(path, "as") == "parent")
        EXPECT_EQ(number(path, "rows"), count_children(*run_.rows_of(last)));
    } else {
      ++left_out_[last];
      check_left_out(path, via, verdict == "cut");
    }
  }

  void check_left_out(JsonValue path, const std::vector<std::uint32_t>& via, bool is_cut) {
    ASSERT_GE(via.size(), 2U);
    const RowSet& before = *run_.rows_of(via[via.size() - 2]);
    const RowSet& after = *run_.rows_of(via.back());
    const JsonValue values = path.find_member("values").value();
    EXPECT_GT(count_rows(before, id_, values), 0U);
    if (is_cut) {
      EXPECT_EQ(id_at(before, number(path, "rank") - 1), id_);
      EXPECT_TRUE(has_values(before, number(path, "rank") - 1, values));
      if (text(path, "by") == "take") EXPECT_GT(number(path, "rank"), number(path, "count"));
      if (text(path, "by") == "skip") EXPECT_LE(number(path, "rank"), number(path, "count"));
    } else {
      // The task treats rows with the same values alike, so all of them must be gone.
      EXPECT_EQ(count_rows(after, id_, values), 0U) << plan_.nodes[via.back()].id;
      EXPECT_GT(values.size(), 0U);
    }
  }

  void check_candidates(const std::string& verdict) {
    const auto candidates = rank::candidates_of(run_);
    std::set<std::size_t> ranks;
    for (std::size_t rank = 1; rank <= candidates.size(); ++rank) {
      const auto& [output, row] = candidates[rank - 1];
      if (run_.rows_of(plan_.outputs[output])->batch()->ids()[row] == id_) ranks.insert(rank);
    }
    EXPECT_EQ(served_, ranks) << id_;
    EXPECT_EQ(verdict == "served", !ranks.empty()) << id_;
  }

  // The number of paths that end at a node is the number of its input rows minus that of its output
  // rows.
  void check_account() {
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) {
      const plan::CompiledNode& compiled = plan_.nodes[node];
      const bool unites = compiled.task->op == "concat" || compiled.task->op == "interleave";
      if (compiled.inputs.empty() || unites ||
          compiled.task->columns == plan::OutputColumns::kFanOut)
        continue;
      const std::size_t before = count_id(run_.input_of(node, 0), id_);
      const std::size_t after = count_id(run_.rows_of(node), id_);
      EXPECT_EQ(left_out_[node], before - after) << compiled.id << " " << id_;
    }
  }

  void check_absence(JsonValue absent) {
    EXPECT_GT(absent.size(), 0U);
    for (const JsonValue source : absent.children()) {
      const std::uint32_t node = plan_.find_node(text(source, "node"));
      ASSERT_NE(node, plan::kNoPlanNode);
      EXPECT_EQ(number(source, "rows"), run_.rows_of(node)->size());
      const auto lists = source.find_member("lists");
      if (!lists || plan_.nodes[node].inputs.empty()) continue;
      EXPECT_EQ(number(source, "list_count"), run_.input_of(node, 0)->size());
      EXPECT_GT(lists->size(), 0U);
      for (const JsonValue list : lists->children()) {
        const auto* const entry = store_.find_entry(*list.find_string());
        if (entry == nullptr) continue;
        const auto items = store_.integers(*entry);
        const auto read = items.first(std::min(items.size(), number(source, "fanout")));
        EXPECT_EQ(std::ranges::count(read, id_), 0) << *list.find_string();
      }
    }
  }

  static std::int64_t id_at(const RowSet& rows, std::size_t at) {
    return rows.batch()->ids()[rows.row_at(at)];
  }
  std::size_t count_children(const RowSet& rows) const {
    std::size_t count = 0;
    const auto parents = rows.batch()->find_column("parent_id")->int64s();
    for (std::size_t at = 0; at < rows.size(); ++at) count += parents[rows.row_at(at)] == id_;
    return count;
  }

  const rank::RequestRun& run_;
  const plan::CompiledPlan& plan_;
  const stores::EmbeddedStore& store_;
  std::int64_t id_ = 0;
  std::map<std::uint32_t, std::size_t> left_out_;  // by node: paths that end there
  std::set<std::size_t> served_;
  std::set<std::string> seen_;
};

std::string join_ids(const std::vector<std::int64_t>& ids) {
  std::string joined;
  for (const std::int64_t id : ids) joined += (joined.empty() ? "" : ", ") + std::to_string(id);
  return "[" + joined + "]";
}

// Asks about random ids: some occur in a node and some nowhere. Gives the kinds of verdict seen.
std::set<std::string> check_plan(const std::string& artifact, std::uint64_t seed) {
  World world(artifact, seed);
  base::SplitMix64 random(seed);
  std::set<std::string> seen;
  for (int round = 0; round < 6; ++round) {
    std::string request = "{\"user_id\": " + std::to_string(1 + random.below(40));
    if (round % 2 == 1) request += ", \"limit\": " + std::to_string(1 + random.below(8));
    if (round % 3 == 1) request += ", \"param_overrides\": {\"weight\": 0.04}";
    const auto probe = world.run_as_written(request + "}");
    const std::set<std::int64_t> known = Oracle(*probe, world.store()).all_ids();
    std::vector<std::int64_t> pool(known.begin(), known.end());
    std::vector<std::int64_t> ids;
    for (int count = 0; count < 25; ++count) ids.push_back(pool[random.below(pool.size())]);
    for (int count = 0; count < 8; ++count)
      ids.push_back(static_cast<std::int64_t>(random.below(600)));
    ids.push_back(-1);
    ids.push_back(INT64_MAX);
    if (round % 3 == 2) request += ", \"exclude\": " + join_ids({ids[0], ids[1], ids[2]});

    const auto written = world.run_as_written(request + "}");
    Oracle oracle(*written, world.store());
    const auto response =
        base::read_json(world.ask(request + R"(, "explain": {"ids": )" + join_ids(ids) + "}}"));
    const auto told = response->root().find_member("explain");
    EXPECT_TRUE(told) << response->text();
    if (!told) return seen;
    std::size_t place = 0;
    for (const JsonValue one : told->children()) {
      EXPECT_EQ(one.find_member("id")->find_int(), ids[place++]);
      oracle.check(one);
    }
    EXPECT_EQ(place, ids.size());
    seen.insert(oracle.seen().begin(), oracle.seen().end());
  }
  return seen;
}

TEST(ExplainVerdictTest, EXPL8_EveryShippedPlanAgreesWithAPlainRun) {
  std::size_t plans = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(MR_SOURCE_DIR) / "plans")) {
    if (!entry.path().string().ends_with(".plan.json")) continue;
    SCOPED_TRACE(entry.path().filename().string());
    const auto seen = check_plan(read_file(entry.path()), 7 + plans++);
    EXPECT_TRUE(seen.contains("never_fetched"));
    EXPECT_TRUE(seen.contains("served"));
  }
  EXPECT_GE(plans, 9U);
}

TEST(ExplainVerdictTest, EXPL8_APlanOfEveryKindOfCutAgreesWithAPlainRun) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    seen.merge(check_plan(std::string(kRichPlan), seed));
  for (const char* const kind : {"served",
                                 "predicate",
                                 "dedupe",
                                 "group_limit",
                                 "skip",
                                 "limit",
                                 "exclude",
                                 "used",
                                 "never_fetched"})
    EXPECT_TRUE(seen.contains(kind)) << kind;
}

TEST(ExplainVerdictTest, EXPL8_JoinsWeavesAndSamplesAgreeWithAPlainRun) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    seen.merge(check_plan(std::string(kJoinPlan), seed));
  for (const char* const kind : {"served", "no_match", "match", "sample", "used"})
    EXPECT_TRUE(seen.contains(kind)) << kind;
}

}  // namespace
}  // namespace millrace::explain_test
