#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/engine.h"

namespace millrace::live {

/// Commands that fill a server with so many users for `complex_dag` and `guarded_dag`. None of
/// their keys is in `data/demo.redis`; users are numbered from 0 here, whatever their ids are.
/// Every candidate has one origin: the ids of an item's media belong to that item only, the items
/// to one list of one user, and the plans serve all of them. Each key is written by one command, so
/// it is there in full or not at all.
[[nodiscard]] std::string known_data(int users);

/// What a response is worth.
enum class Verdict : std::uint8_t {
  kFull,      ///< what embedded data give, byte for byte
  kDegraded,  ///< says that it is degraded, and lacks whole items at most
  kPartial,   ///< lacks whole items without saying so: right while keys are missing only
  kError,     ///< a structured error that a store in trouble explains
  kWrong,     ///< anything else
};

/// The right answers of one plan to users of `known_data`, to judge others by.
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
