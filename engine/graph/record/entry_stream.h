#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "graph/payload.h"
#include "graph/record/record_file.h"
#include "graph/record/record_line.h"
#include "graph/run/run_journal.h"

namespace millrace::graph {

/// An entry of the record of a run on threads.
struct RecordEntry {
  std::string text = {};
  std::string kind = {};
  std::string domain = {};  ///< empty if none is to blame
  std::uint64_t line = 0;
};

/// The entries of a record, in order. What bodies asked stands apart: it is found by invocation,
/// and read ahead of its place in the order as far as is necessary, but at most `kReadAheadMax`.
/// Threading: not shared.
/// Lifetime: borrows the stream.
class EntryStream {
 public:
  /// Bytes of entries that are read and not used yet, with what it takes to keep them.
  static constexpr std::size_t kReadAheadMax = 256UL << 20U;

  explicit EntryStream(std::istream& stream);

  /// The next entry that is none of `ask`, `line`, `submit`; nullptr at the end or after an error.
  [[nodiscard]] const RecordEntry* front();
  void pop();
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

  /// What is known about an invocation that comes next in its domain; nullptr if the domain did not
  /// execute it.
  [[nodiscard]] const CallFacts* find_call(std::string_view domain,
                                           std::string_view component,
                                           std::uint64_t call);
  /// The next answer to an invocation that `find_call` has found.
  [[nodiscard]] std::optional<base::Result<Payload>> next_answer(std::string_view component,
                                                                 std::uint64_t call);
  [[nodiscard]] std::optional<std::string> next_line(std::string_view component,
                                                     std::uint64_t call);
  /// Whether its task of that number was taken on.
  [[nodiscard]] bool admits_task(std::string_view component,
                                 std::uint64_t call,
                                 std::uint32_t number);
  /// Nobody asks about the invocation any more.
  void forget(std::string_view component, std::uint64_t call);

 private:
  struct Known {
    std::optional<CallFacts> call = {};
    std::deque<base::Result<Payload>> answers = {};
    std::deque<std::optional<std::string>> lines = {};
    std::map<std::uint32_t, bool> admissions = {};
    std::size_t bytes = 0;
  };
  using Key = std::pair<std::string, std::uint64_t>;

  /// Reads one more entry; false at the end.
  bool pull();
  [[nodiscard]] Known* find_known(std::string_view component, std::uint64_t call);

  RecordReader lines_;
  base::JsonReader reader_{record_json_limits()};
  base::JsonDocument document_;
  std::deque<RecordEntry> entries_;
  /// How many of them are no `call`, of the domains that have such.
  std::map<std::string, std::size_t, std::less<>> steps_held_;
  std::map<Key, Known> known_;
  std::size_t held_bytes_ = 0;
  std::optional<base::Error> error_;
  bool is_over_ = false;
};

/// A member of an entry that is a count; 0 if there is none.
[[nodiscard]] std::uint64_t entry_count(const base::JsonValue& entry, std::string_view name);
/// A member that is a time.
[[nodiscard]] Duration entry_time(const base::JsonValue& entry, std::string_view name);

}  // namespace millrace::graph
