#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::http_tests {

/// One line of a file in tests/corpus/http.
struct CorpusCase {
  std::string file = {};
  int line = 0;
  std::vector<int> statuses = {};  ///< of all replies, in order
  bool closes = false;             ///< the server ends the connection
  /// The statuses with HAProxy in between; nothing if they depend on who is faster.
  std::optional<std::vector<int>> through_haproxy = {};
  std::string bytes = {};
};

/// All cases of a file; a line that is not understood stops the program.
[[nodiscard]] std::vector<CorpusCase> read_corpus(const std::string& file);

/// What a server has sent: the statuses of its replies. A reply that is cut off or has no status
/// counts as -1, and nothing after it is read.
[[nodiscard]] std::vector<int> statuses_of(std::string_view received, bool first_is_head);

}  // namespace millrace::http_tests
