#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// A plan that is drawn and run in the plainest way: rows are values that are copied from node to
// node, and each carries the list of nodes it came through. So what became of a row is written down
// where it happens, and nothing has to be found again.

namespace millrace::explain_test {

/// Lists and hashes of a data file, read line by line.
struct PlainData {
  std::map<std::string, std::vector<std::int64_t>> lists;
  std::map<std::string, std::map<std::string, std::int64_t>> numbers;  ///< hash, field

  [[nodiscard]] static PlainData read(std::string_view text);
};

struct NaiveRow {
  std::int64_t id = 0;
  std::optional<std::int64_t> parent = {};
  std::map<std::string, std::optional<double>> values = {};
  std::vector<std::string> via = {};
};

/// How a row ended.
struct NaiveEnd {
  NaiveRow row = {};          ///< with the nodes it came through, the last one included
  std::string verdict = {};   ///< as in the JSON
  std::string by = {};        ///< as in the JSON; empty where it has none
  std::size_t rank = 0;       ///< 0 where it has none
  std::string sentence = {};  ///< what the sentence has to be; empty: not known here
  bool is_own_duplicate = false;

  [[nodiscard]] std::string text() const;
};

/// One condition of a filter.
struct NaiveTest {
  std::string key = {};
  std::string op = {};  ///< `>=`, `<` or `overflow`
  std::int64_t than = 0;
};

struct NaiveNode {
  std::string id = {};
  std::string op = {};
  std::vector<std::size_t> inputs = {};
  std::string params = {};  ///< JSON without braces
  std::int64_t count = 0;
  std::string word = {};  ///< key, pattern or kind
  std::vector<NaiveTest> tests = {};
};

/// A drawn plan. Nodes stand after their inputs.
struct NaivePlan {
  std::vector<NaiveNode> nodes;
  std::size_t output = 0;

  [[nodiscard]] static NaivePlan draw(std::uint64_t seed);
  [[nodiscard]] std::string artifact() const;
  /// By node: whether the output needs it.
  [[nodiscard]] std::vector<bool> needed() const;
};

struct NaiveRequest {
  std::int64_t user = 1;
  std::optional<std::size_t> limit = {};
  std::set<std::int64_t> exclude = {};
};

/// Every end of every row.
[[nodiscard]] std::vector<NaiveEnd> run_naively(const NaivePlan& plan,
                                                const PlainData& data,
                                                const NaiveRequest& request);

}  // namespace millrace::explain_test
