#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::jobs {

/// Whether a job may have this name: `[A-Za-z0-9_-]{1,64}`.
[[nodiscard]] bool is_job_name(std::string_view name);

/// What the parts of a job are called. Lines are numbered from 0.
class JobNames {
 public:
  explicit JobNames(std::string job) : job_(std::move(job)) {}

  [[nodiscard]] const std::string& job() const { return job_; }
  [[nodiscard]] std::string queue_stream() const { return "MR_" + job_ + "_Q"; }
  [[nodiscard]] std::string result_stream() const { return "MR_" + job_ + "_R"; }
  [[nodiscard]] std::string queue_prefix() const { return "mr." + job_ + ".q."; }
  [[nodiscard]] std::string result_prefix() const { return "mr." + job_ + ".r."; }
  /// Marks lines whose result is an error, so that they can be counted.
  [[nodiscard]] std::string failed_prefix() const { return "mr." + job_ + ".f."; }
  [[nodiscard]] std::string failed_subject(std::uint64_t line) const {
    return failed_prefix() + std::to_string(line);
  }
  [[nodiscard]] std::string manifest_subject() const { return "mr." + job_ + ".manifest"; }
  [[nodiscard]] std::string queue_subject(std::uint64_t line) const {
    return queue_prefix() + std::to_string(line);
  }
  [[nodiscard]] std::string result_subject(std::uint64_t line) const {
    return result_prefix() + std::to_string(line);
  }

  /// The line of a subject with this prefix, if it is one.
  [[nodiscard]] static std::optional<std::uint64_t> line_of(std::string_view subject,
                                                            std::string_view prefix);
  /// The job of a queue's stream, if it is one.
  [[nodiscard]] static std::optional<std::string> job_of_queue(std::string_view stream);

 private:
  std::string job_;
};

}  // namespace millrace::jobs
