#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine.h"

namespace millrace::live {

/// Commands that fill a server with `users` users for `complex_dag` and `guarded_dag`. None of
/// their keys is in `data/demo.redis`; users are numbered from 0 here, whatever their ids are.
/// Every candidate has one origin: the ids of an item's media belong to that item only, each item
/// to one list of one user, and the plans serve all of them. Each key is written by one command, so
/// it is there completely or not at all.
[[nodiscard]] std::string known_data(int users);

/// The result of checking a response.
enum class Verdict : std::uint8_t {
  kFull,      ///< equal to the answer from embedded data, byte for byte
  kDegraded,  ///< says that it is degraded, and only whole items are missing
  kPartial,   ///< whole items are missing: correct only while keys are missing
  kError,     ///< a structured error that a failing store explains
  kWrong,     ///< anything else
};

/// The correct answers of one plan for the users of `known_data`, to compare others with.
/// Threading: made by one thread; then any thread.
class KnownAnswers {
 public:
  /// Asks an engine on embedded data. Throws if it does not serve every candidate.
  KnownAnswers(host::Engine& embedded, const std::string& plan, int users);

  [[nodiscard]] Verdict judge(int user, bool ok, std::string_view response) const;
  [[nodiscard]] static std::string request(const std::string& plan, int user, double deadline_ms);

 private:
  struct Candidate {
    std::int64_t item = 0;
    std::string text;
  };
  struct Answer {
    std::string text;  // the JSON array
    std::vector<Candidate> candidates;
  };
  std::vector<Answer> answers_;  // by user
};

}  // namespace millrace::live
