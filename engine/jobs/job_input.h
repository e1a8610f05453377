#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::jobs {

/// The requests of a job: one per line of a file. The file is mapped, not read, so it may be larger
/// than the memory.
/// Threading: any thread reads. Lifetime: lines are valid while this lives; the file must not be
/// changed meanwhile.
class JobInput {
 public:
  static constexpr std::uint64_t kLinesMax = 10'000'000;

  /// Opens a file; `-` is stdin, which is copied to a temporary file.
  [[nodiscard]] static base::Result<std::unique_ptr<JobInput>> open(const std::string& path);
  ~JobInput();
  JobInput(const JobInput&) = delete;
  JobInput& operator=(const JobInput&) = delete;

  [[nodiscard]] const std::vector<std::string_view>& lines() const { return lines_; }
  /// `sha256:` and the digits.
  [[nodiscard]] const std::string& digest() const { return digest_; }

 private:
  JobInput() = default;
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::string_view> lines_;
  std::string digest_;
};

/// What is wrong with the lines of a job.
struct InputProblems {
  struct Problem {
    std::uint64_t line = 0;  ///< from 1, as editors count
    std::string message;
  };
  std::vector<Problem> first;  ///< at most `kShownMax`
  std::uint64_t total = 0;

  static constexpr std::size_t kShownMax = 20;
  [[nodiscard]] std::string to_text() const;
};

struct InputRules {
  std::string job;            ///< names requests without an id
  bool has_plan = false;      ///< requests need not name one
  std::size_t bytes_max = 0;  ///< of a line
};

/// Checks every line as a request (JOB3): its fields, that ids are there once, and its size.
[[nodiscard]] InputProblems check_lines(const std::vector<std::string_view>& lines,
                                        const InputRules& rules);

/// The request of a line as it is queued: with the id `JOB-N` if it has none. The line must be
/// valid.
[[nodiscard]] std::string with_request_id(std::string_view line,
                                          const std::string& job,
                                          std::uint64_t number);

}  // namespace millrace::jobs
