#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "child.h"
#include "jobs/job_store.h"
#include "nats/client.h"
#include "nats/jetstream.h"
#include "nats_server.h"
#include "shell.h"

// What tests of `rankd batch` share. A ledger checks each job: as many results as lines, each equal
// to that of a direct run.

namespace millrace::e2e {

inline live::NatsServer::Options with_jetstream() { return {.jetstream = true}; }

/// Shell functions: `lines N` writes N requests, `batch ACTION …` is `rankd batch`, `ledger JOB
/// FILE` compares the results of a job with a direct run.
[[nodiscard]] std::string batch_shell(const live::NatsServer& server);

/// One job in a root, with programs of the test that work on it.
/// Threading: not shared. Lifetime: borrows the server and the root.
class JobBench {
 public:
  JobBench(const live::NatsServer& server, const Root& root, std::string job);

  /// Starts `rankd batch ACTION` on the job with these further words; what it says goes to the file
  /// `log`.
  [[nodiscard]] std::unique_ptr<live::Child> start(const std::string& action,
                                                   const std::string& log,
                                                   const std::vector<std::string>& more = {}) const;
  [[nodiscard]] std::unique_ptr<live::Child> work(const std::string& log) const {
    return start("work", log);
  }
  /// Programs that are started from here on find the server at this address.
  void set_url(std::string url) { url_ = std::move(url); }
  /// Waits until the state of the job is as wanted, at most until the limit of the test. The child
  /// is only what wakes this up if it ends.
  [[nodiscard]] bool wait_until(const std::function<bool(const jobs::JobState&)>& is_wanted,
                                live::Child& child);
  /// The same, until so many lines have a result.
  [[nodiscard]] bool wait_for(std::uint64_t done_count, live::Child& child);
  /// The same, at most so long. Gives how many lines have a result; nothing: the test's time is
  /// over, or the child has ended before.
  [[nodiscard]] std::optional<std::uint64_t> wait_for(std::uint64_t done_count,
                                                      live::Child& child,
                                                      base::Duration limit);
  /// Waits for the end of a child, at most until the limit of the test. Gives its exit code, or
  /// less than 0.
  [[nodiscard]] int wait_for_end(live::Child& child);
  /// Compares the results with a direct run: "ledger N", or what is wrong.
  [[nodiscard]] std::string ledger(const std::string& input) const;
  /// What the job and the logs say, for whoever reads why a test failed.
  [[nodiscard]] std::string story(const std::vector<std::string>& logs);

  [[nodiscard]] nats::JetStream& jetstream() { return jetstream_; }
  [[nodiscard]] nats::RequestBox& box() { return client_->box(); }
  [[nodiscard]] jobs::JobStore& store() { return store_; }

  /// Lines whose worker says nothing come to another one after so long, not after the 30 s that
  /// workers ask for. To be called before the first worker starts.
  void deliver_again_after(std::chrono::seconds pause);
  /// Gives the test more time than the usual.
  void extend(base::Duration by) { deadline_ += by; }

 private:
  const live::NatsServer& server_;
  const Root& root_;
  std::string url_;
  const std::unique_ptr<nats::Client> client_;
  nats::JetStream jetstream_;
  jobs::JobStore store_;
  base::TimePoint deadline_;
};

}  // namespace millrace::e2e
