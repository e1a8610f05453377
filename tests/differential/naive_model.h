#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"
#include "naive_value.h"

namespace millrace::differential {

/// Runs drawn plans row by row over plain maps, as the reference pages say and with nothing of the
/// engine: no columns, no passes, no store, no scheduler.
/// Threading: not shared.
class NaiveModel {
 public:
  /// `data` has one command of Redis per line.
  explicit NaiveModel(std::string_view data);

  /// The text of the candidates that the plan of an artifact gives to a request with these
  /// `candidates`, which may be without fields.
  [[nodiscard]] std::string candidates_of(const std::string& artifact,
                                          std::int64_t user,
                                          const NaiveRows& candidates) const;

 private:
  using Node = base::JsonValue;
  struct Scored {
    std::string member;
    double score = 0;
  };
  /// One request under way: rows by node.
  struct Run {
    std::int64_t user = 0;
    const NaiveRows* candidates = nullptr;
    std::map<std::string, NaiveRows, std::less<>> rows = {};
  };

  void add_line(const std::vector<std::string>& words);
  [[nodiscard]] NaiveRows make(Node node, const Run& run) const;
  [[nodiscard]] NaiveRow stored(const std::string& key, std::int64_t id) const;
  [[nodiscard]] NaiveRows fan_out(Node node, const Run& run) const;
  [[nodiscard]] NaiveRows items(Node params, std::string_view op, const std::string& key) const;
  [[nodiscard]] NaiveRows hydrate(Node params, NaiveRows rows) const;
  [[nodiscard]] NaiveRows lookup(Node params, NaiveRows rows) const;

  std::map<std::string, std::map<std::string, std::string>> hashes_;
  std::map<std::string, std::vector<std::int64_t>> lists_;
  std::map<std::string, std::vector<Scored>> sorted_sets_;
  std::map<std::string, std::set<std::int64_t>> sets_;
  std::map<std::string, std::string> texts_;
};

}  // namespace millrace::differential
