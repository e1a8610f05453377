#include "naive_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "naive_value.h"

namespace millrace::differential {
namespace {

using Node = base::JsonValue;

const std::set<std::string, std::less<>> kIntegers = {
    "id", "parent_id", "age", "created_at", "likes", "views", "author_id"};
const std::set<std::string, std::less<>> kFetched = {
    "name", "country", "language", "age", "created_at", "likes", "views", "category"};

std::string text_of(Node params, std::string_view name, std::string_view otherwise = "") {
  const auto member = params.find_member(name);
  return std::string(member ? *member->find_string() : otherwise);
}

std::size_t count_of(Node params, std::string_view name, std::size_t otherwise) {
  const auto member = params.find_member(name);
  return member ? static_cast<std::size_t>(*member->find_int()) : otherwise;
}

std::vector<std::string> names_of(Node params, std::string_view name) {
  std::vector<std::string> names;
  if (const auto list = params.find_member(name)) {
    for (const Node item : list->children()) names.emplace_back(*item.find_string());
  }
  return names;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const bool is_quoted = line[at] == '"';
    const std::size_t begin = is_quoted ? at + 1 : at;
    const std::size_t end = std::min(line.find(is_quoted ? '"' : ' ', begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    at = is_quoted ? end + 2 : end + 1;
  }
  return words;
}

std::string filled(std::string pattern, std::string_view name, std::int64_t value) {
  const std::string place = fmt::format("{{{}}}", name);
  for (std::size_t at = pattern.find(place); at != std::string::npos; at = pattern.find(place))
    pattern.replace(at, place.size(), std::to_string(value));
  return pattern;
}

std::int64_t id_of(const NaiveRow& row) { return std::get<std::int64_t>(value_of(row, "id")); }

// Whether a value comes before another in an order; null is last in both directions.
int compare(const NaiveValue& left, const NaiveValue& right, bool descending) {
  if (is_null(left) || is_null(right)) return static_cast<int>(is_null(left)) - is_null(right);
  if (left == right) return 0;
  return (left < right) != descending ? -1 : 1;
}

NaiveRows sorted(Node params, NaiveRows rows) {
  const std::string key = text_of(params, "key");
  const bool descending = text_of(params, "order", "asc") == "desc";
  const auto is_before = [&](const NaiveRow& left, const NaiveRow& right) {
    const int order = compare(value_of(left, key), value_of(right, key), descending);
    return order != 0 ? order < 0 : id_of(left) < id_of(right);
  };
  for (std::size_t end = 1; end < rows.size(); ++end) {
    for (std::size_t at = end; at > 0 && is_before(rows[at], rows[at - 1]); --at)
      std::swap(rows[at], rows[at - 1]);
  }
  return rows;
}

NaiveRows concatenated(Node params, NaiveRows left, NaiveRows right) {
  const std::vector<std::string> tags = names_of(params, "tags");
  const auto tag = [](NaiveRows& rows, const std::string& name) {
    for (NaiveRow& row : rows) {
      if (is_null(value_of(row, "source"))) row["source"] = name;
    }
  };
  tag(left, tags[0]);
  tag(right, tags[1]);
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

NaiveRows joined(Node params, const NaiveRows& left, const NaiveRows& right) {
  const std::string kind = text_of(params, "kind", "inner");
  NaiveRows rows;
  for (const NaiveRow& row : left) {
    bool has_match = false;
    for (const NaiveRow& other : right) {
      if (id_of(row) != id_of(other)) continue;
      has_match = true;
      if (kind != "inner" && kind != "left") continue;
      NaiveRow both = row;
      for (const std::string& key : names_of(params, "columns")) both[key] = value_of(other, key);
      rows.push_back(std::move(both));
    }
    if (has_match ? kind == "semi" : kind == "anti" || kind == "left") rows.push_back(row);
  }
  return rows;
}

NaiveRows aggregated(Node params, const NaiveRows& from) {
  std::vector<std::pair<std::vector<NaiveValue>, NaiveRows>> groups;
  for (const NaiveRow& row : from) {
    std::vector<NaiveValue> key;
    for (const std::string& name : names_of(params, "by")) key.push_back(value_of(row, name));
    const auto group =
        std::ranges::find_if(groups, [&](const auto& it) { return it.first == key; });
    if (group == groups.end()) {
      groups.emplace_back(std::move(key), NaiveRows{row});
    } else {
      group->second.push_back(row);
    }
  }
  NaiveRows rows;
  for (const auto& [key, members] : groups) {
    NaiveRow& row = rows.emplace_back();
    std::vector<std::string> kept = names_of(params, "by");
    for (std::string& name : names_of(params, "first")) kept.push_back(std::move(name));
    kept.emplace_back("id");
    for (const std::string& name : kept) row[name] = value_of(members.front(), name);
    if (!params.find_member("mean")) continue;
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (const NaiveRow& member : members) {
      const NaiveValue likes = value_of(member, "likes");
      if (is_null(likes)) continue;
      sum += std::get<std::int64_t>(likes);
      ++count;
    }
    if (count > 0) row["score"] = static_cast<double>(sum) / static_cast<double>(count);
  }
  return rows;
}

NaiveRows filtered(Node params, NaiveRows rows) {
  const std::string pred = text_of(params, "pred");
  std::erase_if(rows, [&](const NaiveRow& row) {
    return evaluate_naively(pred, row) != NaiveValue(std::int64_t{1});
  });
  return rows;
}

void write_value(const NaiveValue& value, base::JsonWriter& json) {
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    json.value(*integer);
  } else if (const auto* const number = std::get_if<double>(&value)) {
    json.value(*number);
  } else if (const auto* const text = std::get_if<std::string>(&value)) {
    json.value(*text);
  } else {
    json.null();
  }
}

}  // namespace

NaiveModel::NaiveModel(std::string_view data) {
  while (!data.empty()) {
    const std::size_t end = std::min(data.find('\n'), data.size());
    if (end > 0 && data.front() != '#') add_line(words_of(data.substr(0, end)));
    data.remove_prefix(std::min(end + 1, data.size()));
  }
}

void NaiveModel::add_line(const std::vector<std::string>& words) {
  const std::string& command = words[0];
  const std::string& key = words[1];
  if (command == "SET") texts_[key] = words[2];
  for (std::size_t at = 2; at < words.size(); ++at) {
    if (command == "RPUSH") lists_[key].push_back(std::stoll(words[at]));
    if (command == "SADD") sets_[key].insert(std::stoll(words[at]));
    if (at % 2 == 0) continue;
    if (command == "HSET") hashes_[key][words[at - 1]] = words[at];
    if (command != "ZADD") continue;
    std::erase_if(sorted_sets_[key], [&](const Scored& it) { return it.member == words[at]; });
    sorted_sets_[key].push_back({.member = words[at], .score = std::stod(words[at - 1])});
  }
}

NaiveRow NaiveModel::stored(const std::string& key, std::int64_t id) const {
  NaiveRow row = {{"id", id}};
  const auto hash = hashes_.find(key);
  if (hash == hashes_.end()) return row;
  for (const auto& [field, text] : hash->second) {
    if (kIntegers.contains(field)) {
      row[field] = static_cast<std::int64_t>(std::stoll(text));
    } else {
      row[field] = text;
    }
  }
  return row;
}

NaiveRows NaiveModel::items(Node params, std::string_view op, const std::string& key) const {
  NaiveRows rows;
  if (op == "set_members") {
    const auto found = sets_.find(key);
    if (found == sets_.end()) return rows;
    for (const std::int64_t id : found->second) rows.push_back({{"id", id}});
    return rows;
  }
  const std::size_t fanout = count_of(params, "fanout", 100);
  if (op == "sorted_set") {
    const auto found = sorted_sets_.find(key);
    if (found == sorted_sets_.end()) return rows;
    std::vector<Scored> members = found->second;
    std::ranges::sort(members, [](const Scored& left, const Scored& right) {
      return left.score != right.score ? left.score < right.score : left.member < right.member;
    });
    if (text_of(params, "order", "asc") == "desc") std::ranges::reverse(members);
    for (const Scored& member : members) {
      if (rows.size() == fanout) break;
      rows.push_back({{"id", static_cast<std::int64_t>(std::stoll(member.member))}});
      const std::string score_key = text_of(params, "with_scores");
      if (!score_key.empty()) rows.back()[score_key] = member.score;
    }
    return rows;
  }
  const auto found = lists_.find(key);
  if (found == lists_.end()) return rows;
  for (const std::int64_t id : found->second) {
    if (rows.size() < fanout) rows.push_back({{"id", id}});
  }
  return rows;
}

NaiveRows NaiveModel::fan_out(Node node, const Run& run) const {
  const Node params = *node.find_member("params");
  const std::string_view op = *node.find_member("op")->find_string();
  const std::string pattern = text_of(params, "pattern", fmt::format("{}:{{id}}", op));
  const std::vector<std::string> inputs = names_of(node, "inputs");
  if (inputs.empty()) return items(params, op, filled(pattern, "user_id", run.user));
  NaiveRows rows;
  for (const NaiveRow& parent : run.rows.at(inputs[0])) {
    for (NaiveRow& row : items(params, op, filled(pattern, "id", id_of(parent)))) {
      row["parent_id"] = id_of(parent);
      for (const std::string& key : names_of(params, "carry")) row[key] = value_of(parent, key);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

NaiveRows NaiveModel::hydrate(Node params, NaiveRows rows) const {
  std::vector<std::string> keys = names_of(params, "keys");
  if (keys.empty()) keys.assign(kFetched.begin(), kFetched.end());
  for (NaiveRow& row : rows) {
    const NaiveRow found =
        stored(fmt::format("{}:{}", text_of(params, "prefix"), id_of(row)), id_of(row));
    for (const std::string& key : keys) row[key] = value_of(found, key);
  }
  return rows;
}

NaiveRows NaiveModel::lookup(Node params, NaiveRows rows) const {
  for (NaiveRow& row : rows) {
    const auto found = texts_.find(fmt::format("{}:{}", text_of(params, "prefix"), id_of(row)));
    row[text_of(params, "out_key")] =
        found == texts_.end() ? NaiveValue() : NaiveValue(std::stod(found->second));
  }
  return rows;
}

NaiveRows NaiveModel::make(Node node, const Run& run) const {
  const Node params = *node.find_member("params");
  const std::string_view op = *node.find_member("op")->find_string();
  const std::vector<std::string> inputs = names_of(node, "inputs");
  if (op == "viewer") return {stored(fmt::format("user:{}", run.user), run.user)};
  if (op == "candidates") return *run.candidates;
  if (op == "follow" || op == "recommendation" || op == "media" || op == "list" ||
      op == "sorted_set" || op == "set_members")
    return fan_out(node, run);
  const NaiveRows& from = run.rows.at(inputs.at(0));
  if (op == "hydrate") return hydrate(params, from);
  if (op == "lookup") return lookup(params, from);
  if (op == "filter") return filtered(params, from);
  if (op == "aggregate") return aggregated(params, from);
  if (op == "sort") return sorted(params, from);
  if (op == "concat") return concatenated(params, from, run.rows.at(text_of(params, "rhs")));
  if (op == "join") return joined(params, from, run.rows.at(text_of(params, "rhs")));
  NaiveRows rows = from;
  if (op == "take") {
    rows.resize(std::min(rows.size(), count_of(params, "count", 0)));
    return rows;
  }
  MR_CHECK(op == "vm", std::string(op));
  for (NaiveRow& row : rows)
    row[text_of(params, "out_key")] = evaluate_naively(text_of(params, "expr"), row);
  return rows;
}

std::string NaiveModel::candidates_of(const std::string& artifact,
                                      std::int64_t user,
                                      const NaiveRows& candidates) const {
  const auto document = base::read_json(artifact);
  MR_CHECK(document.has_value(), artifact);
  const Node plan = document->root();
  Run run{.user = user, .candidates = &candidates};
  for (const Node node : plan.find_member("nodes")->children())
    run.rows.emplace(*node.find_member("id")->find_string(), make(node, run));
  std::string text = R"("candidates":)";
  base::JsonWriter json(text);
  json.begin_array();
  for (const NaiveRow& row : run.rows.at(names_of(plan, "outputs")[0])) {
    json.begin_object();
    json.member("id", id_of(row));
    json.key("fields");
    json.begin_object();
    for (const std::string& key : names_of(plan, "output_keys")) {
      if (key == "id") continue;
      json.key(key);
      write_value(value_of(row, key), json);
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  return text;
}

}  // namespace millrace::differential
