#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/job_manifest.h"
#include "jobs/job_names.h"
#include "nats/jetstream.h"

namespace millrace::jobs {

/// How the streams of a job are made.
struct JobLimits {
  std::int64_t replicas = 1;
  std::uint64_t bytes_max = std::uint64_t{10} << 30;  ///< of each stream
  static constexpr std::int64_t kDaysMax = 7;         ///< until messages are dropped
  /// Whether results that are there without a manifest are those of this job, as a repair says.
  bool keeps_results = false;
};

/// How far a job is, as its streams say (JOB9).
struct JobState {
  JobManifest manifest = {};
  std::uint64_t done_count = 0;
  std::uint64_t failed_count = 0;     ///< those of them whose result is an error
  std::uint64_t waiting_count = 0;    ///< queued, and nobody has them
  std::uint64_t in_flight_count = 0;  ///< with workers
  std::uint64_t duplicate_count = 0;  ///< deliveries after the first one
  std::uint64_t queued_count = 0;     ///< lines that were ever queued
  std::uint64_t held_count = 0;       ///< messages that the queue holds
  bool has_queue = false;             ///< whether the stream of the queue is there

  [[nodiscard]] bool is_done() const { return done_count >= manifest.line_count; }
  /// Whether a worker has something to do, if only to look after the consumer.
  [[nodiscard]] bool has_work() const {
    return waiting_count + in_flight_count > 0 || (held_count > 0 && !is_done());
  }
  [[nodiscard]] bool operator==(const JobState&) const = default;
};

/// The streams of one job.
/// Threading: any thread, but none of the library: every call waits. Lifetime: borrows JetStream.
class JobStore {
 public:
  JobStore(nats::JetStream& jetstream, std::string job)
      : jetstream_(jetstream), names_(std::move(job)) {}

  [[nodiscard]] const JobNames& names() const { return names_; }

  /// Makes the streams and stores the manifest; does nothing where they are there, but removes
  /// what an earlier job of this name has left. `kBusy`: there is a job of this name with another
  /// input
  /// (`job_exists`). After an error no stream is there that was not there before.
  [[nodiscard]] base::Status make(const JobManifest& manifest, const JobLimits& limits);
  /// `kNotFound`: there is no such job.
  [[nodiscard]] base::Result<JobManifest> manifest();
  [[nodiscard]] base::Result<JobState> state();
  /// Sets `done_count` by looking at each result. `state` only counts messages, among which there
  /// may be some that are no results of lines.
  [[nodiscard]] base::Status count_results(JobState& state);
  /// For each line whether it has a result.
  [[nodiscard]] base::Result<std::vector<bool>> done_lines(std::uint64_t line_count);
  /// Makes the consumer anew. What is in flight is delivered again, and counts as never delivered.
  [[nodiscard]] base::Status remake_consumer();
  /// Deletes the streams. `kNotFound`: there is none.
  [[nodiscard]] base::Status remove();

  /// The consumer that all workers share.
  static constexpr const char* kConsumer = "work";
  static constexpr std::int64_t kAckWaitSeconds = 30;
  static constexpr std::int64_t kOpenMax = 4096;

 private:
  [[nodiscard]] base::Status make_streams(const JobLimits& limits);
  [[nodiscard]] base::Status make_queue(const JobLimits& limits);
  [[nodiscard]] base::Status store_manifest(const JobManifest& manifest, const JobLimits& limits);
  [[nodiscard]] base::Status make_consumer();

  nats::JetStream& jetstream_;
  const JobNames names_;
};

/// Ranges of lines without a result, from 1, as `3-5, 9`; at most some.
[[nodiscard]] std::string missing_text(const std::vector<bool>& done);

}  // namespace millrace::jobs
