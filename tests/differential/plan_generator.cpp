#include "plan_generator.h"

#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"

namespace millrace::differential {
namespace {

using Keys = std::set<std::string>;

const Keys kStored = {
    "name", "country", "language", "age", "created_at", "likes", "views", "category"};
const Keys kNumbers = {"id", "parent_id", "age", "created_at", "likes", "views", "score"};

struct Rows {
  std::string id;
  Keys keys;  ///< besides `id`
};

class Generator {
 public:
  Generator(std::uint64_t seed, FetchedKeys keys) : random_(seed), keys_(keys) {}

  std::string draw(const std::string& name) {
    branches_.push_back(
        {.id = add("viewer", "", {}, R"("endpoint": "redis_default")"), .keys = kStored});
    branches_.push_back(fan_out(branches_[0]));
    if (random_.chance(0.5)) branches_.push_back(source());
    for (std::size_t left = 4 + random_.below(8); left > 0; --left) step();
    Rows last = branches_.back();
    if (random_.chance(0.6)) last = order(last);
    std::string keys = R"("id")";
    for (const std::string& key : some_of(last.keys, 0.7)) keys += fmt::format(R"(, "{}")", key);
    return fmt::format(R"({{"schema_version": 1, "name": "{}", "nodes": [{}], "outputs": ["{}"],
                          "output_keys": [{}]}})",
                       name,
                       nodes_,
                       last.id,
                       keys);
  }

 private:
  void step() {
    const Rows from = branches_[1 + random_.below(branches_.size() - 1)];
    switch (random_.below(10)) {
      case 0:
        return branches_.push_back(fan_out(from));
      case 7:
        return branches_.push_back(source());
      case 8:
        return branches_.push_back(lookup(from));
      case 9:
        return branches_.push_back(aggregate(from));
      case 1:
        return branches_.push_back(concat(from));
      case 2:
        return branches_.push_back(filter(from));
      case 3:
        return branches_.push_back(score(from));
      case 4:
        return branches_.push_back(join(from));
      default:
        return branches_.push_back(hydrate(from));
    }
  }

  Rows fan_out(const Rows& from) {
    static const char* const kOps[] = {"follow", "recommendation", "media"};
    Keys taken = some_of(without(from.keys, {"parent_id"}), 0.3);
    std::string carry = fmt::format(R"(, "carry": [{}])", quoted(taken));
    Rows rows;
    switch (random_.below(4)) {
      case 0:
        return sorted_set(from.id, random_.chance(0.5) ? "top:{id}" : "top:{id}:{id}", taken);
      case 1:
        rows.id = add("set_members",
                      from.id,
                      {},
                      R"("endpoint": "redis_default", "pattern": "tagged:{id}")" + carry);
        break;
      default:
        rows.id = add(kOps[random_.below(3)],
                      from.id,
                      {},
                      R"("endpoint": "redis_default", "fanout": 4)" + carry);
    }
    rows.keys = std::move(taken);
    rows.keys.insert("parent_id");
    return rows;
  }

  /// Members of sorted sets, for each row of `input` or once if that is empty.
  Rows sorted_set(const std::string& input, std::string_view pattern, Keys taken) {
    const bool with_scores = !taken.contains("score") && random_.chance(0.7);
    Rows rows{
        .id = add(
            "sorted_set",
            input,
            {},
            fmt::format(
                R"("endpoint": "redis_default", "pattern": "{}", "fanout": 3, "order": "{}"{}{})",
                pattern,
                random_.chance(0.5) ? "asc" : "desc",
                with_scores ? R"(, "with_scores": "score")" : "",
                input.empty() ? "" : fmt::format(R"(, "carry": [{}])", quoted(taken)))),
        .keys = std::move(taken)};
    if (with_scores) rows.keys.insert("score");
    if (!input.empty()) rows.keys.insert("parent_id");
    return rows;
  }

  /// Rows that come from no others.
  Rows source() {
    switch (random_.below(4)) {
      case 0:
        return sorted_set("", "trending", {});
      case 1:
        return {.id = add("set_members",
                          "",
                          {},
                          R"("endpoint": "redis_default", "pattern": "tagged:{user_id}")"),
                .keys = {}};
      case 2:
        return {.id = add("candidates", "", {}, R"("keys": ["likes", "score"])"),
                .keys = {"likes", "score"}};
      default:
        return {
            .id = add("list",
                      "",
                      {},
                      R"("endpoint": "redis_default", "pattern": "follow:{user_id}", "fanout": 5)"),
            .keys = {}};
    }
  }

  Rows lookup(const Rows& from) {
    Rows rows = from;
    rows.id = add("lookup",
                  from.id,
                  {},
                  R"("endpoint": "redis_default", "prefix": "quality", "out_key": "score")");
    rows.keys.insert("score");
    return rows;
  }

  Rows aggregate(const Rows& from) {
    Keys groups = some_of(from.keys, 0.3);
    if (groups.empty()) groups.insert("id");
    groups.erase("score");
    if (groups.empty()) return from;
    const bool scores = from.keys.contains("likes");
    const Keys first =
        without(some_of(without(from.keys, {"parent_id", "source", "score"}), 0.3), groups);
    Rows rows{.id = add("aggregate",
                        from.id,
                        {},
                        fmt::format(R"("by": [{}], "first": [{}]{})",
                                    quoted(groups),
                                    quoted(first),
                                    scores ? R"(, "mean": {"score": "likes"})" : "")),
              .keys = groups};
    rows.keys.erase("id");
    rows.keys.insert(first.begin(), first.end());
    if (scores) rows.keys.insert("score");
    return rows;
  }

  Rows hydrate(const Rows& from) {
    Rows rows = from;
    const Keys listed = some_of(kStored, 0.3);
    const bool lists = !listed.empty() && random_.chance(0.5);
    rows.id =
        add("hydrate",
            from.id,
            {},
            fmt::format(R"("endpoint": "redis_default", "prefix": "{}"{})",
                        random_.chance(0.5) ? "user" : "item",
                        lists || keys_ == FetchedKeys::kAllNamed
                            ? fmt::format(R"(, "keys": [{}])", quoted(lists ? listed : kStored))
                            : ""));
    rows.keys.insert((lists ? listed : kStored).begin(), (lists ? listed : kStored).end());
    return rows;
  }

  Rows concat(const Rows& from) {
    const Rows other = branches_[1 + random_.below(branches_.size() - 1)];
    Rows rows = from;
    rows.id = add("concat", from.id, other.id, fmt::format(R"("tags": ["x{}", "y"])", next_));
    rows.keys.insert(other.keys.begin(), other.keys.end());
    rows.keys.insert("source");
    return rows;
  }

  Rows filter(const Rows& from) {
    std::string pred = "id > 3";
    const Keys some = some_of(from.keys, 0.4);
    if (!some.empty()) {
      const std::string& key = *some.begin();
      if (kNumbers.contains(key)) {
        pred = fmt::format("{} is null or {} > 3", key, key);
      } else {  // Always true, so that it must not change the answer.
        pred = fmt::format("{} is null or {} != 'zzz'", key, key);
      }
    }
    Rows rows = from;
    rows.id = add("filter", from.id, {}, fmt::format(R"("pred": "{}")", pred));
    return rows;
  }

  Rows score(const Rows& from) {
    std::string expr = "id * 0.5";
    for (const std::string& key : some_of(from.keys, 0.4)) {
      if (kNumbers.contains(key)) expr += fmt::format(" + coalesce({}, 7) * 0.25", key);
    }
    Rows rows = from;
    rows.id = add("vm", from.id, {}, fmt::format(R"("out_key": "score", "expr": "{}")", expr));
    rows.keys.insert("score");
    return rows;
  }

  Rows join(const Rows& from) {
    const Rows other = branches_[1 + random_.below(branches_.size() - 1)];
    static const char* const kKinds[] = {"inner", "left", "semi", "anti"};
    const std::string kind = kKinds[random_.below(4)];
    Rows rows = from;
    if (kind == "semi" || kind == "anti") {
      rows.id = add("join", from.id, other.id, fmt::format(R"("kind": "{}", "by": ["id"])", kind));
      return rows;
    }
    const Keys taken = some_of(without(other.keys, from.keys), 0.5);
    rows.id = add("join",
                  from.id,
                  other.id,
                  fmt::format(R"("kind": "{}", "by": ["id"], "columns": [{}])",
                              kind,
                              quoted(without(taken, {"parent_id"}))));
    const Keys got = without(taken, {"parent_id"});
    rows.keys.insert(got.begin(), got.end());
    return add_take(rows);  // A join may multiply rows.
  }

  Rows add_take(Rows rows) {
    rows.id = add("take", rows.id, {}, R"("count": 60)");
    return rows;
  }

  Rows order(const Rows& from) {
    const Keys some = some_of(from.keys, 0.5);
    Rows rows = from;
    rows.id =
        add("sort",
            from.id,
            {},
            fmt::format(R"("key": "{}", "order": "desc")", some.empty() ? "id" : *some.rbegin()));
    return add_take(rows);
  }

  std::string add(const std::string& op,
                  const std::string& input,
                  const std::string& rhs,
                  const std::string& params) {
    const std::string id = fmt::format("n{}", next_++);
    nodes_ += fmt::format(R"({}{{"id": "{}", "op": "{}", "inputs": [{}], "params": {{{}{}}}}})",
                          nodes_.empty() ? "" : ",\n",
                          id,
                          op,
                          input.empty() ? "" : fmt::format(R"("{}")", input),
                          params,
                          rhs.empty() ? "" : fmt::format(R"(, "rhs": "{}")", rhs));
    return id;
  }

  Keys some_of(const Keys& keys, double share) {
    Keys some;
    for (const std::string& key : keys) {
      if (random_.chance(share)) some.insert(key);
    }
    return some;
  }
  static Keys without(Keys keys, const Keys& others) {
    for (const std::string& key : others) keys.erase(key);
    return keys;
  }
  static std::string quoted(const Keys& keys) {
    std::string text;
    for (const std::string& key : keys)
      text += fmt::format(R"({}"{}")", text.empty() ? "" : ", ", key);
    return text;
  }

  base::SplitMix64 random_;
  FetchedKeys keys_;
  std::string nodes_;
  std::size_t next_ = 0;
  std::vector<Rows> branches_;
};

}  // namespace

std::string draw_plan(const std::string& name, std::uint64_t seed, FetchedKeys keys) {
  return Generator(seed, keys).draw(name);
}

std::string draw_careless_plan(const std::string& name, std::uint64_t seed) {
  std::string artifact = draw_plan(name, seed);
  base::SplitMix64 random(~seed);
  Keys keys = kStored;
  keys.insert({"id", "parent_id", "source", "score", "boost", "total"});
  const auto any_key = [&] {
    return "\"" + *std::next(keys.begin(), static_cast<std::ptrdiff_t>(random.below(keys.size()))) +
           "\"";
  };
  for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
    std::vector<std::size_t> places;
    // What joins and groups are made by is `id` where nothing else was drawn.
    const std::string old_key = random.chance(0.5) ? "\"id\"" : any_key();
    const std::size_t nodes_end = artifact.find("\"outputs\"");
    for (std::size_t at = artifact.find(old_key); at < nodes_end;
         at = artifact.find(old_key, at + 1)) {
      // Not the names of members, as the `id` of a node.
      if (artifact[at + old_key.size()] != ':') places.push_back(at);
    }
    if (!places.empty())
      artifact.replace(places[random.below(places.size())], old_key.size(), any_key());
  }
  return artifact;
}

}  // namespace millrace::differential
