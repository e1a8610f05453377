#include "apps/rankd/batch_flags.h"

#include "jobs/job_names.h"
#include "jobs/job_store.h"

namespace millrace::rankd {

void add_batch_command(CLI::App& batch, BatchFlags& flags) {
  batch.require_subcommand(1);
  const auto add = [&](const char* name, BatchAction action, const char* about) -> CLI::App& {
    CLI::App& sub = *batch.add_subcommand(name, about);
    sub.fallthrough();
    sub.callback([&flags, action] { flags.action = action; });
    add_nats_options(sub, flags.nats);
    auto* const job =
        sub.add_option("--job", flags.job, "name of the job: letters, digits, _ and -");
    job->check([](const std::string& text) {
      return jobs::is_job_name(text) ? std::string()
                                     : "A job has 1 to 64 letters, digits, '_' and '-'";
    });
    if (action != BatchAction::kWork) job->required();
    return sub;
  };
  CLI::App& submit = add("submit", BatchAction::kSubmit, "queue a file of requests, one per line");
  submit.add_option("FILE", flags.file, "the requests; - is stdin")->required();
  submit.add_option("--plan", flags.plan, "plan of requests that name none");
  submit.add_option("--replicas", flags.replicas, "copies of the streams in a cluster")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{5}))
      ->capture_default_str();
  submit.add_flag("--repair", flags.repairs, "queue exactly the lines that have no result");
  CLI::App& work = add("work", BatchAction::kWork, "run queued requests; --job: until it is done");
  work.add_option("--concurrency", flags.concurrency, "requests under way at a time")
      ->check(CLI::Range(std::int64_t{1}, jobs::JobStore::kOpenMax))
      ->capture_default_str();
  work.add_option("--max-attempts,--max_attempts", flags.attempts_max, "tries of one request")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}))
      ->capture_default_str();
  CLI::App& status = add("status", BatchAction::kStatus, "how far a job is");
  status.add_flag("--watch", flags.watches, "a line per second until it is done");
  CLI::App& fetch =
      add("fetch", BatchAction::kFetch, "write the results in the order of the input");
  fetch.add_option("--out", flags.out, "file to write")
      ->required()
      ->check([](const std::string& path) {
        return path == "-" ? "Results go to a file, so that fetch can go on where it stopped"
                           : std::string();
      });
  fetch.add_flag("--partial", flags.is_partial, "also if some lines have no result");
  CLI::App& remove = add("delete", BatchAction::kDelete, "remove a job and its results");
  remove.add_flag("--yes", flags.is_sure, "really");
}

}  // namespace millrace::rankd
