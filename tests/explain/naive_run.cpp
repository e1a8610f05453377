// Runs a drawn plan row by row.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "naive_plan.h"

namespace millrace::explain_test {
namespace {

std::optional<double> value_of(const NaiveRow& row, const std::string& key) {
  if (key == "id") return static_cast<double>(row.id);
  if (key == "parent_id") return static_cast<double>(row.parent.value_or(0));
  const auto found = row.values.find(key);
  return found == row.values.end() ? std::nullopt : found->second;
}

// Whether a row comes before another in a descending order; null is last, then the least id.
bool is_before(const NaiveRow& left, const NaiveRow& right, const std::string& key) {
  const auto a = value_of(left, key);
  const auto b = value_of(right, key);
  if (a.has_value() != b.has_value()) return a.has_value();
  if (a != b) return *a > *b;
  return left.id < right.id;
}

class NaiveRun {
 public:
  NaiveRun(const NaivePlan& plan, const PlainData& data, const NaiveRequest& request)
      : plan_(plan),
        data_(data),
        request_(request),
        rows_(plan.nodes.size()),
        columns_(plan.nodes.size()) {}

  std::vector<NaiveEnd> run() {
    const std::vector<bool> needed = plan_.needed();
    for (std::size_t index = 0; index < plan_.nodes.size(); ++index) {
      const NaiveNode& node = plan_.nodes[index];
      is_told_ = needed[index];
      columns_[index] = columns_of(node);
      rows_[index] = make(node);
      // A column that only one input of a union has is null in the rows of the other.
      for (NaiveRow& row : rows_[index]) {
        for (const std::string& key : columns_[index]) row.values.try_emplace(key, std::nullopt);
      }
      if (node.op == "follow" || node.op == "recommendation" || node.op == "media") {
        for (NaiveRow& row : rows_[index]) row.via = {node.id};
        is_told_ = true;
        for (const NaiveRow& row : rows_[index]) {
          if (!needed[index]) end(row, {.verdict = "unused"});
        }
      }
    }
    is_told_ = true;
    answer();
    return std::move(ends_);
  }

 private:
  using Rows = std::vector<NaiveRow>;

  void end(const NaiveRow& row, NaiveEnd how) {
    if (!is_told_) return;
    how.row = row;
    ends_.push_back(std::move(how));
  }
  void leave(const NaiveRow& row, const NaiveNode& node, NaiveEnd how) {
    NaiveRow last = row;
    last.via.push_back(node.id);
    end(last, std::move(how));
  }
  void cut(const NaiveNode& node, const Rows& from, std::size_t at) {
    leave(from[at], node, {.verdict = "cut", .by = node.op, .rank = at + 1});
  }

  Rows make(const NaiveNode& node) {
    if (node.op == "viewer") return {NaiveRow{.id = request_.user, .via = {node.id}}};
    Rows from = rows_[node.inputs[0]];
    if (node.op == "follow" || node.op == "recommendation" || node.op == "media")
      return fan_out(node, from);
    if (node.op == "filter") return filter(node, from);
    if (node.op == "take" || node.op == "skip") return take(node, from);
    if (node.op == "dedupe") return dedupe(node, from);
    if (node.op == "group_limit") return group_limit(node, from);
    if (node.op == "join") return join(node, from);
    if (node.op == "diversify") return diversify(node, from);
    if (node.op == "concat" || node.op == "interleave")
      return unite(node, from, rows_[node.inputs[1]]);
    if (node.op == "sort") {
      for (std::size_t end = 1; end < from.size(); ++end) {
        for (std::size_t at = end; at > 0 && is_before(from[at], from[at - 1], node.word); --at)
          std::swap(from[at], from[at - 1]);
      }
    }
    for (NaiveRow& row : from) {
      if (node.op == "hydrate") row.values["likes"] = likes_of(row.id);
      if (node.op == "vm") row.values["score"] = static_cast<double>(row.id % 7) * 0.5;
    }
    return passed(node, from);
  }

  // The columns that rows of a node have, besides `id` and `parent_id`.
  [[nodiscard]] std::set<std::string> columns_of(const NaiveNode& node) const {
    if (node.op == "viewer" || node.op == "follow" || node.op == "recommendation" ||
        node.op == "media")
      return {};
    std::set<std::string> columns = columns_[node.inputs[0]];
    if (node.op == "hydrate") columns.insert("likes");
    if (node.op == "vm") columns.insert("score");
    if (node.op == "concat") columns.insert("source");
    if (node.op == "concat" || node.op == "interleave") {
      const std::set<std::string>& other = columns_[node.inputs[1]];
      columns.insert(other.begin(), other.end());
    }
    return columns;
  }

  static Rows passed(const NaiveNode& node, Rows rows) {
    for (NaiveRow& row : rows) row.via.push_back(node.id);
    return rows;
  }

  [[nodiscard]] std::optional<double> likes_of(std::int64_t id) const {
    const auto hash = data_.numbers.find(fmt::format("item:{}", id));
    if (hash == data_.numbers.end() || !hash->second.contains("likes")) return std::nullopt;
    return static_cast<double>(hash->second.at("likes"));
  }

  Rows fan_out(const NaiveNode& node, const Rows& from) {
    Rows made;
    for (const NaiveRow& parent : from) {
      leave(parent, node, {.verdict = "used"});
      const auto list = data_.lists.find(fmt::format("{}:{}", node.op, parent.id));
      if (list == data_.lists.end()) continue;
      for (std::size_t at = 0; at < list->second.size() && at < std::size_t(node.count); ++at)
        made.push_back({.id = list->second[at], .parent = parent.id});
    }
    return made;
  }

  Rows filter(const NaiveNode& node, const Rows& from) {
    Rows kept;
    for (const NaiveRow& row : from) {
      const NaiveTest* failed = nullptr;
      const NaiveTest* broken = nullptr;
      // The first test that is false or fails decides.
      for (const NaiveTest& test : node.tests) {
        if (failed != nullptr || broken != nullptr) break;
        if (test.op == "overflow") {
          if (row.id > 100) broken = &test;
          continue;
        }
        const auto value = value_of(row, test.key);
        const bool holds = value && (test.op == ">=" ? *value >= static_cast<double>(test.than)
                                                     : *value < static_cast<double>(test.than));
        if (!holds) failed = &test;
      }
      if (broken != nullptr) {
        leave(row, node, {.verdict = "dropped", .by = "row_error"});
      } else if (failed != nullptr) {
        const auto value = value_of(row, failed->key);
        const std::string why =
            value ? fmt::format("{} {} is not {} {}", failed->key, *value, failed->op, failed->than)
                  : failed->key + " is null";
        leave(row,
              node,
              {.verdict = "dropped",
               .by = "predicate",
               .sentence = fmt::format("dropped by `{}` (filter): {}", node.id, why)});
      } else {
        kept.push_back(row);
      }
    }
    return passed(node, kept);
  }

  Rows take(const NaiveNode& node, const Rows& from) {
    Rows kept;
    for (std::size_t at = 0; at < from.size(); ++at) {
      if ((at < static_cast<std::size_t>(node.count)) == (node.op == "take")) {
        kept.push_back(from[at]);
      } else {
        cut(node, from, at);
      }
    }
    return passed(node, kept);
  }

  Rows dedupe(const NaiveNode& node, const Rows& from) {
    std::map<std::int64_t, std::size_t> winners;
    for (std::size_t at = 0; at < from.size(); ++at) {
      const auto [entry, is_first] = winners.try_emplace(from[at].id, at);
      if (is_first) continue;
      const bool wins = node.word == "last" ||
                        (node.word == "max" && is_before(from[at], from[entry->second], "score"));
      if (wins) entry->second = at;
    }
    Rows kept;
    for (std::size_t at = 0; at < from.size(); ++at) {
      if (winners[from[at].id] == at) {
        kept.push_back(from[at]);
      } else {
        leave(from[at],
              node,
              {.verdict = "cut", .by = "dedupe", .rank = at + 1, .is_own_duplicate = true});
      }
    }
    return passed(node, kept);
  }

  Rows group_limit(const NaiveNode& node, const Rows& from) {
    std::map<std::optional<std::int64_t>, std::int64_t> seen;
    Rows kept;
    for (std::size_t at = 0; at < from.size(); ++at) {
      if (++seen[from[at].parent] <= node.count) {
        kept.push_back(from[at]);
      } else {
        cut(node, from, at);
      }
    }
    return passed(node, kept);
  }

  Rows join(const NaiveNode& node, const Rows& from) {
    const Rows& right = rows_[node.inputs[1]];
    for (const NaiveRow& row : right) leave(row, node, {.verdict = "used"});
    Rows kept;
    for (const NaiveRow& row : from) {
      const bool matches =
          std::ranges::any_of(right, [&](const NaiveRow& other) { return other.id == row.id; });
      if (matches == (node.word == "semi")) {
        kept.push_back(row);
      } else {
        leave(row, node, {.verdict = "dropped", .by = matches ? "match" : "no_match"});
      }
    }
    return passed(node, kept);
  }

  // At most one row of a parent among any three; what fits nowhere is dropped.
  Rows diversify(const NaiveNode& node, const Rows& from) {
    std::vector<std::size_t> left;
    for (std::size_t at = 0; at < from.size(); ++at) left.push_back(at);
    Rows kept;
    while (!left.empty()) {
      const auto fits = std::ranges::find_if(left, [&](std::size_t at) {
        for (std::size_t back = 1; back < 3 && back <= kept.size(); ++back) {
          if (kept[kept.size() - back].parent == from[at].parent) return false;
        }
        return true;
      });
      if (fits == left.end()) break;
      kept.push_back(from[*fits]);
      left.erase(fits);
    }
    for (const std::size_t at : left) cut(node, from, at);
    return passed(node, kept);
  }

  static Rows unite(const NaiveNode& node, const Rows& left, const Rows& right) {
    Rows all;
    if (node.op == "concat") {
      all = left;
      all.insert(all.end(), right.begin(), right.end());
      // `source` is the input that a row first came from.
      for (std::size_t at = 0; at < all.size(); ++at)
        if (std::optional<double>& source = all[at].values["source"]; !source)
          source = at < left.size() ? 0 : 1;
      return passed(node, all);
    }
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < left.size() || b < right.size()) {
      for (const char letter : node.word) {
        if (letter == 'a' && a < left.size()) all.push_back(left[a++]);
        if (letter == 'b' && b < right.size()) all.push_back(right[b++]);
      }
    }
    return passed(node, all);
  }

  void answer() {
    std::size_t rank = 0;
    const Rows& rows = rows_[plan_.output];
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (request_.exclude.contains(rows[at].id)) {
        end(rows[at], {.verdict = "cut", .by = "exclude", .rank = at + 1});
      } else if (++rank > request_.limit.value_or(rank)) {
        end(rows[at], {.verdict = "cut", .by = "limit", .rank = rank});
      } else {
        end(rows[at], {.verdict = "served", .rank = rank});
      }
    }
  }

  const NaivePlan& plan_;
  const PlainData& data_;
  const NaiveRequest& request_;
  std::vector<Rows> rows_;
  std::vector<std::set<std::string>> columns_;
  std::vector<NaiveEnd> ends_;
  bool is_told_ = true;
};

}  // namespace

std::vector<NaiveEnd> run_naively(const NaivePlan& plan,
                                  const PlainData& data,
                                  const NaiveRequest& request) {
  return NaiveRun(plan, data, request).run();
}

}  // namespace millrace::explain_test
