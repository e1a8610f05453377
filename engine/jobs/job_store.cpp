#include "jobs/job_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/format.h"

namespace millrace::jobs {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::size_t kRangesMax = 20;

/// The settings of a stream; `retention` and `more` differ.
std::string stream_config(const std::string& name,
                          const std::string& subjects,
                          std::string_view retention,
                          const JobLimits& limits,
                          std::string_view more) {
  return base::format(
      R"({{"name":"{}","subjects":[{}],"retention":"{}","storage":"file","discard":"new",)"
      R"("max_age":{},"max_bytes":{},"num_replicas":{},"max_consumers":-1,"max_msgs":-1,)"
      R"("max_msg_size":-1,"duplicate_window":{}{}}})",
      name,
      subjects,
      retention,
      JobLimits::kDaysMax * 24 * 3600 * kSecondNs,
      limits.bytes_max,
      limits.replicas,
      120 * kSecondNs,
      more);
}

}  // namespace

base::Status JobStore::make(const JobManifest& manifest, const JobLimits& limits) {
  MR_TRY_STATUS(make_streams(limits));
  MR_TRY_STATUS(store_manifest(manifest, limits));
  return make_consumer();
}

base::Status JobStore::make_streams(const JobLimits& limits) {
  const std::string results = names_.result_stream();
  MR_TRY(const auto before, jetstream_.find_stream(results));
  // Result n is accepted only if its subject is empty (JOB1).
  MR_TRY_STATUS(jetstream_.make_stream(
      results,
      stream_config(
          results,
          base::format(R"("{}*","{}*","{}")",
                       names_.result_prefix(),
                       names_.failed_prefix(),
                       names_.manifest_subject()),
          "limits",
          limits,
          R"(,"max_msgs_per_subject":1,"discard_new_per_subject":true,"allow_direct":true)")));
  base::Status made = make_queue(limits);
  if (!made && !before) (void)jetstream_.delete_stream(results);
  return made;
}

base::Status JobStore::make_queue(const JobLimits& limits) {
  const std::string queue = names_.queue_stream();
  return jetstream_.make_stream(
      queue,
      stream_config(
          queue, base::format(R"("{}*")", names_.queue_prefix()), "workqueue", limits, ""));
}

base::Status JobStore::store_manifest(const JobManifest& manifest, const JobLimits& limits) {
  MR_TRY(const nats::StoreOutcome outcome,
         jetstream_.store({.subject = names_.manifest_subject(), .data = manifest.to_json()}));
  if (outcome == nats::StoreOutcome::kFull)
    return base::fail(base::ErrorCode::kResourceExhausted,
                      base::format("no_space: the stream {} is full", names_.result_stream()));
  if (outcome == nats::StoreOutcome::kTaken) {
    MR_TRY(const JobManifest there, this->manifest());
    if (there == manifest) return {};
    return base::fail(base::ErrorCode::kBusy,
                      base::format("job_exists: the job '{}' has another input or plan; delete it, "
                                   "or choose another name",
                                   names_.job()));
  }
  // A new job. The manifest of an earlier one becomes too old before its results do.
  if (!limits.keeps_results) {
    for (const std::string& prefix : {names_.result_prefix(), names_.failed_prefix()})
      MR_TRY_STATUS(jetstream_.purge_subjects(names_.result_stream(), prefix + "*"));
  }
  // If its queue was used before, by a job whose results were lost or have become too
  // old, then what is in it are lines of another input, and the next one would not be line 0.
  MR_TRY(const auto queue, jetstream_.find_stream(names_.queue_stream()));
  if (!queue || queue->last_sequence == 0) return {};
  MR_TRY_STATUS(jetstream_.delete_stream(names_.queue_stream()));
  return make_queue(limits);
}

base::Status JobStore::make_consumer() {
  return jetstream_.make_consumer(
      names_.queue_stream(),
      kConsumer,
      base::format(
          R"({{"durable_name":"{}","ack_policy":"explicit","deliver_policy":"all",)"
          R"("ack_wait":{},"max_ack_pending":{},"max_deliver":-1,"replay_policy":"instant"}})",
          kConsumer,
          kAckWaitSeconds * kSecondNs,
          kOpenMax));
}

base::Status JobStore::remake_consumer() {
  MR_TRY_STATUS(jetstream_.delete_consumer(names_.queue_stream(), kConsumer));
  return make_consumer();
}

base::Result<JobManifest> JobStore::manifest() {
  MR_TRY(const auto stream, jetstream_.find_stream(names_.result_stream()));
  std::optional<nats::Message> found;
  if (stream) {
    MR_TRY(found, jetstream_.find_last(names_.result_stream(), names_.manifest_subject()));
  }
  if (!found)
    return base::fail(base::ErrorCode::kNotFound,
                      base::format("There is no job '{}'", names_.job()));
  return JobManifest::read(found->data);
}

base::Result<JobState> JobStore::state() {
  JobState state;
  MR_TRY(state.manifest, manifest());
  MR_TRY(const auto results, jetstream_.find_stream(names_.result_stream()));
  if (results) {
    MR_TRY(const auto failed,
           jetstream_.subjects(names_.result_stream(), names_.failed_prefix() + "*"));
    state.failed_count =
        static_cast<std::uint64_t>(std::ranges::count_if(failed, [&](const std::string& subject) {
          const auto line = JobNames::line_of(subject, names_.failed_prefix());
          return line && *line < state.manifest.line_count;
        }));
    // The manifest and the marks of failed lines are messages, too.
    state.done_count = results->message_count - std::min(results->message_count, 1 + failed.size());
  }
  MR_TRY(const auto queue, jetstream_.find_stream(names_.queue_stream()));
  if (queue) {
    state.has_queue = true;
    state.queued_count = queue->last_sequence;
    state.held_count = queue->message_count;
  }
  MR_TRY(const auto consumer, jetstream_.find_consumer(names_.queue_stream(), kConsumer));
  if (consumer) {
    state.waiting_count = consumer->waiting_count;
    state.in_flight_count = consumer->open_count;
    const std::uint64_t distinct = consumer->delivered_sequence;
    state.duplicate_count =
        consumer->delivery_count > distinct ? consumer->delivery_count - distinct : 0;
  }
  return state;
}

base::Result<std::vector<bool>> JobStore::done_lines(std::uint64_t line_count) {
  const std::string prefix = names_.result_prefix();
  MR_TRY(const std::vector<std::string> subjects,
         jetstream_.subjects(names_.result_stream(), prefix + "*"));
  std::vector<bool> done(line_count, false);
  for (const std::string& subject : subjects) {
    // What is no line of this job is nobody's.
    const auto line = JobNames::line_of(subject, prefix);
    if (line && *line < line_count) done[*line] = true;
  }
  return done;
}

base::Status JobStore::count_results(JobState& state) {
  MR_TRY(const std::vector<bool> done, done_lines(state.manifest.line_count));
  state.done_count = static_cast<std::uint64_t>(std::ranges::count(done, true));
  return {};
}

base::Status JobStore::remove() {
  MR_TRY(const auto queue, jetstream_.find_stream(names_.queue_stream()));
  MR_TRY(const auto results, jetstream_.find_stream(names_.result_stream()));
  if (!queue && !results)
    return base::fail(base::ErrorCode::kNotFound,
                      base::format("There is no job '{}'", names_.job()));
  MR_TRY_STATUS(jetstream_.delete_stream(names_.queue_stream()));
  return jetstream_.delete_stream(names_.result_stream());
}

std::string missing_text(const std::vector<bool>& done) {
  std::string text;
  std::size_t range_count = 0;
  std::uint64_t begin = 0;
  while (begin < done.size()) {
    if (done[begin]) {
      ++begin;
      continue;
    }
    std::uint64_t end = begin;
    while (end < done.size() && !done[end]) ++end;
    if (range_count == kRangesMax) return text + ", …";
    if (range_count > 0) text += ", ";
    text +=
        end == begin + 1 ? base::format("{}", begin + 1) : base::format("{}-{}", begin + 1, end);
    ++range_count;
    begin = end;
  }
  return text;
}

}  // namespace millrace::jobs
