#include "plan_generator.h"

#include <cstddef>
#include <set>
#include <string>
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
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string draw(const std::string& name) {
    branches_.push_back(
        {.id = add("viewer", "", {}, R"("endpoint": "redis_default")"), .keys = kStored});
    branches_.push_back(fan_out(branches_[0]));
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
    switch (random_.below(7)) {
      case 0:
        return branches_.push_back(fan_out(from));
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
    const Keys taken = some_of(without(from.keys, {"parent_id"}), 0.3);
    Rows rows{.id = add(kOps[random_.below(3)],
                        from.id,
                        {},
                        fmt::format(R"("endpoint": "redis_default", "fanout": 4, "carry": [{}])",
                                    quoted(taken))),
              .keys = taken};
    rows.keys.insert("parent_id");
    return rows;
  }

  Rows hydrate(const Rows& from) {
    Rows rows = from;
    const Keys listed = some_of(kStored, 0.3);
    const bool lists = !listed.empty() && random_.chance(0.5);
    rows.id = add("hydrate",
                  from.id,
                  {},
                  fmt::format(R"("endpoint": "redis_default", "prefix": "{}"{})",
                              random_.chance(0.5) ? "user" : "item",
                              lists ? fmt::format(R"(, "keys": [{}])", quoted(listed)) : ""));
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
      rows.id = add("join", from.id, other.id, fmt::format(R"("kind": "{}")", kind));
      return rows;
    }
    const Keys taken = some_of(without(other.keys, from.keys), 0.5);
    rows.id =
        add("join",
            from.id,
            other.id,
            fmt::format(
                R"("kind": "{}", "columns": [{}])", kind, quoted(without(taken, {"parent_id"}))));
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
  std::string nodes_;
  std::size_t next_ = 0;
  std::vector<Rows> branches_;
};

}  // namespace

std::string draw_plan(const std::string& name, std::uint64_t seed) {
  return Generator(seed).draw(name);
}

}  // namespace millrace::differential
