#include "naive_plan.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/random.h"

namespace millrace::explain_test {

PlainData PlainData::read(std::string_view text) {
  PlainData data;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string command;
    std::string key;
    words >> command >> key;
    if (command == "RPUSH") {
      for (std::int64_t id = 0; words >> id;) data.lists[key].push_back(id);
    } else if (command == "HSET") {
      const std::size_t at = line.find(" likes ");
      if (at != std::string::npos) data.numbers[key]["likes"] = std::stoll(line.substr(at + 7));
    }
  }
  return data;
}

std::string NaiveEnd::text() const {
  std::string text = verdict + " via";
  for (const std::string& node : row.via) text += " " + node;
  if (row.parent) text += fmt::format(" of {}", *row.parent);
  if (!by.empty()) text += " by " + by;
  if (rank != 0) text += fmt::format(" at {}", rank);
  return text;
}

// --- Drawing

namespace {

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}

  NaivePlan draw() {
    add({.op = "viewer", .params = R"("endpoint": "redis_default")"});
    branches_.push_back(fan_out(0));
    branches_.push_back(fan_out(0));
    for (std::size_t left = 5 + random_.below(9); left > 0; --left) {
      const std::size_t from = branches_[random_.below(branches_.size())];
      branches_.push_back(step(from));
    }
    plan_.output = branches_.back();
    return plan_;
  }

 private:
  std::size_t add(NaiveNode node) {
    node.id = fmt::format("n{}", plan_.nodes.size());
    plan_.nodes.push_back(std::move(node));
    has_likes_.push_back(false);
    has_score_.push_back(false);
    for (const std::size_t input : plan_.nodes.back().inputs) {
      has_likes_.back() = has_likes_.back() || has_likes_[input];
      has_score_.back() = has_score_.back() || has_score_[input];
    }
    return plan_.nodes.size() - 1;
  }

  std::size_t fan_out(std::size_t from) {
    static const char* const kOps[] = {"follow", "recommendation", "media"};
    const auto count = static_cast<std::int64_t>(2 + random_.below(5));
    const std::size_t node =
        add({.op = kOps[random_.below(3)],
             .inputs = {from},
             .params = fmt::format(R"("endpoint": "redis_default", "fanout": {})", count),
             .count = count});
    has_likes_[node] = false;
    has_score_[node] = false;
    return node;
  }

  std::size_t step(std::size_t from) {
    const auto few = static_cast<std::int64_t>(1 + random_.below(12));
    switch (random_.below(13)) {
      case 0:
        return fan_out(from);
      case 1: {
        const std::size_t node =
            add({.op = "hydrate",
                 .inputs = {from},
                 .params = R"("endpoint": "redis_default", "prefix": "item", "keys": ["likes"])"});
        has_likes_[node] = true;
        return node;
      }
      case 2: {
        const std::size_t node = add({.op = "vm",
                                      .inputs = {from},
                                      .params = R"("out_key": "score", "expr": "id % 7 * 0.5")"});
        has_score_[node] = true;
        return node;
      }
      case 3:
      case 4:
        return filter(from);
      case 5:
        return add({.op = "take", .inputs = {from}, .params = counted(few), .count = few});
      case 6:
        return add({.op = "skip", .inputs = {from}, .params = counted(few / 4), .count = few / 4});
      case 7:
        return dedupe(from);
      case 8:
        return add({.op = "group_limit",
                    .inputs = {from},
                    .params = fmt::format(R"("by": "parent_id", {})", counted(1 + few / 6)),
                    .count = 1 + few / 6});
      case 9:
        return unite(from);
      case 10:
        return join(from);
      case 11:
        return add({.op = "diversify",
                    .inputs = {from},
                    .params = R"("by": "parent_id", "window": 3, "when_stuck": "drop")",
                    .count = 3});
      default:
        return sort(from);
    }
  }

  static std::string counted(std::int64_t count) { return fmt::format(R"("count": {})", count); }

  std::size_t filter(std::size_t from) {
    std::vector<NaiveTest> tests;
    for (std::size_t left = 1 + random_.below(3); left > 0; --left) {
      NaiveTest test{.key = "id", .op = random_.chance(0.7) ? ">=" : "<", .than = 40};
      if (random_.chance(0.4)) test.key = "parent_id";
      if (has_score_[from] && random_.chance(0.4)) test = {.key = "score", .op = ">=", .than = 1};
      if (has_likes_[from] && random_.chance(0.4))
        test = {.key = "likes", .op = ">=", .than = 3000};
      if (random_.chance(0.1)) test.op = "overflow";
      if (test.op == "overflow" && test.key != "id") test.key = "id";
      if (test.op == "<") test.than = 300;
      tests.push_back(test);
    }
    std::string pred;
    for (const NaiveTest& test : tests) {
      pred += pred.empty() ? "" : " and ";
      pred += test.op == "overflow" ? fmt::format("{} * 92233720368547758 > 0", test.key)
                                    : fmt::format("{} {} {}", test.key, test.op, test.than);
    }
    return add({.op = "filter",
                .inputs = {from},
                .params = fmt::format(R"("pred": "{}")", pred),
                .tests = std::move(tests)});
  }

  std::size_t dedupe(std::size_t from) {
    static const char* const kKinds[] = {"first", "last", "max"};
    std::string keep = kKinds[random_.below(has_score_[from] ? 3 : 2)];
    const std::string score = keep == "max" ? R"(, "score": "score")" : "";
    return add({.op = "dedupe",
                .inputs = {from},
                .params = fmt::format(R"("by": "id", "keep": "{}"{})", keep, score),
                .word = keep});
  }

  std::size_t unite(std::size_t from) {
    const std::size_t other = branches_[random_.below(branches_.size())];
    if (random_.chance(0.5)) return add({.op = "concat", .inputs = {from, other}});
    static const char* const kPatterns[] = {"ab", "aab", "ba", "abb"};
    const std::string pattern = kPatterns[random_.below(4)];
    return add({.op = "interleave",
                .inputs = {from, other},
                .params = fmt::format(R"("pattern": "{}")", pattern),
                .word = pattern});
  }

  std::size_t join(std::size_t from) {
    const std::size_t other = branches_[random_.below(branches_.size())];
    const std::string kind = random_.chance(0.5) ? "semi" : "anti";
    const bool likes = has_likes_[from];
    const bool score = has_score_[from];
    const std::size_t node = add({.op = "join",
                                  .inputs = {from, other},
                                  .params = fmt::format(R"("kind": "{}")", kind),
                                  .word = kind});
    has_likes_[node] = likes;
    has_score_[node] = score;
    return node;
  }

  std::size_t sort(std::size_t from) {
    std::string key = "id";
    if (has_score_[from]) key = "score";
    if (has_likes_[from] && random_.chance(0.5)) key = "likes";
    return add({.op = "sort",
                .inputs = {from},
                .params = fmt::format(R"("key": "{}", "order": "desc")", key),
                .word = key});
  }

  base::SplitMix64 random_;
  NaivePlan plan_;
  std::vector<std::size_t> branches_;
  std::vector<bool> has_likes_;
  std::vector<bool> has_score_;
};

}  // namespace

NaivePlan NaivePlan::draw(std::uint64_t seed) { return Drawing(seed).draw(); }

std::string NaivePlan::artifact() const {
  std::string list;
  for (const NaiveNode& node : nodes) {
    std::string inputs;
    std::string rhs;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const std::string& id = nodes[node.inputs[input]].id;
      if (node.op == "join" && input == 1) {
        rhs = fmt::format(R"(, "rhs": "{}")", id);
      } else {
        inputs += fmt::format(R"({}"{}")", inputs.empty() ? "" : ", ", id);
      }
    }
    list += fmt::format(R"({}{{"id": "{}", "op": "{}", "inputs": [{}], "params": {{{}{}}}}})",
                        list.empty() ? "" : ",\n",
                        node.id,
                        node.op,
                        inputs,
                        node.params,
                        rhs);
  }
  return fmt::format(R"({{"schema_version": 1, "name": "drawn", "nodes": [{}], "outputs": ["{}"],
                        "output_keys": ["id", "parent_id"]}})",
                     list,
                     nodes[output].id);
}

std::vector<bool> NaivePlan::needed() const {
  std::vector<bool> needed(nodes.size(), false);
  needed[output] = true;
  for (std::size_t node = nodes.size(); node-- > 0;) {
    if (!needed[node]) continue;
    for (const std::size_t input : nodes[node].inputs) needed[input] = true;
  }
  return needed;
}

}  // namespace millrace::explain_test
