#include "apps/rankd/batch_command.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "apps/rankd/extensions.h"
#include "apps/rankd/flags.h"
#include "apps/rankd/process_log.h"
#include "apps/rankd/stop_signals.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "host/engine.h"
#include "host/project.h"
#include "jobs/job_fetcher.h"
#include "jobs/job_input.h"
#include "jobs/job_names.h"
#include "jobs/job_submitter.h"
#include "jobs/job_worker.h"
#include "jobs/progress.h"
#include "nats/client.h"
#include "nats/jetstream.h"

namespace millrace::rankd {
namespace {

constexpr int kBatchOk = 0;
constexpr int kBatchFailed = 1;
constexpr int kWatchPauseMs = 1000;
constexpr base::Duration kDrawPause = std::chrono::milliseconds(200);

int fail_batch(const std::string& message) {
  const std::string text = "rankd: " + base::printable(message) + "\n";
  std::fputs(text.c_str(), stderr);
  return kBatchFailed;
}

/// Waits; true: the flag was raised meanwhile.
bool wait_or_stopped(const StopFlag& stop, int milliseconds) {
  pollfd polled{.fd = stop.descriptor(), .events = POLLIN, .revents = 0};
  (void)::poll(&polled, 1, milliseconds);
  return stop.is_raised();
}

/// Draws a bar on stderr if that is a terminal, a few times a second.
class ProgressBar {
 public:
  ~ProgressBar() {
    if (has_drawn_) std::fputs("\n", stderr);
  }
  void show(std::uint64_t done, std::uint64_t total) {
    if (!is_terminal_) return;
    const base::TimePoint now = base::steady_clock().now();
    const double rate = meter_.add(now, done);
    if (now < next_ && done != total) return;
    next_ = now + kDrawPause;
    const std::string line =
        jobs::progress_line({.done = done, .total = total, .per_second = rate});
    std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
    has_drawn_ = true;
  }

 private:
  const bool is_terminal_ = isatty(STDERR_FILENO) == 1;
  bool has_drawn_ = false;
  base::TimePoint next_{};
  jobs::RateMeter meter_;
};

/// What all actions have.
struct Desk {
  nats::Client& client;
  nats::JetStream& jetstream;
  jobs::JobStore store;
  base::Logger* log = nullptr;  ///< of a worker
};

int submit(Desk& desk, const BatchFlags& flags, Output& out) {
  const auto input = jobs::JobInput::open(flags.file);
  if (!input) return fail_batch(input.error().message());
  const jobs::InputProblems problems =
      jobs::check_lines((*input)->lines(),
                        {.job = flags.job,
                         .has_plan = !flags.plan.empty(),
                         // Headers and the id that may be added need some of it.
                         .bytes_max = desk.client.link().payload_bytes_max() - 256});
  if (problems.total > 0) {
    std::fputs(base::printable(problems.to_text()).c_str(), stderr);
    return kBatchFailed;
  }
  const jobs::JobManifest manifest{
      .line_count = (*input)->lines().size(), .digest = (*input)->digest(), .plan = flags.plan};
  if (auto made =
          desk.store.make(manifest, {.replicas = flags.replicas, .keeps_results = flags.repairs});
      !made)
    return fail_batch(made.error().message());
  ProgressBar bar;
  const auto progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
  if (flags.repairs) {
    const auto count =
        jobs::repair_lines(desk.client.box(), desk.jetstream, desk.store, **input, progress);
    if (!count) return fail_batch(count.error().message());
    out.write(base::format("{}: {} lines had no result and are queued again\n", flags.job, *count));
    return kBatchOk;
  }
  const auto done =
      jobs::submit_lines(desk.client.box(), desk.jetstream, desk.store.names(), **input, progress);
  if (!done) return fail_batch(done.error().message());
  out.write(base::format("{}: {} lines are queued\n", flags.job, manifest.line_count));
  return kBatchOk;
}

/// Works on one job.
base::Status work_on(Desk& desk,
                     const BatchFlags& flags,
                     host::Engine& engine,
                     const StopFlag& stop,
                     bool until_done) {
  MR_TRY(const jobs::JobState before, desk.store.state());
  ProgressBar bar;
  jobs::JobWorker::Parts parts{.link = &desk.client.link(),
                               .store = &desk.store,
                               .doors = {},
                               .log = desk.log,
                               .is_stopped = [&stop] { return stop.is_raised(); },
                               .on_progress =
                                   [&](const jobs::WorkerCounts& counts) {
                                     bar.show(before.done_count + counts.stored,
                                              before.manifest.line_count);
                                   }};
  for (std::size_t index = 0; index < engine.loop_count(); ++index)
    parts.doors.push_back({&engine.loop(index), &engine.ranker(index)});
  jobs::JobWorker worker(std::move(parts),
                         {.concurrency = static_cast<std::size_t>(flags.concurrency),
                          .attempts_max = static_cast<std::uint64_t>(flags.attempts_max)});
  auto done =
      worker.run(until_done ? jobs::JobWorker::Until::kDone : jobs::JobWorker::Until::kIdle);
  const jobs::WorkerCounts& counts = worker.counts();
  std::fprintf(stderr,
               "rankd: %s: stored %llu results (%llu errors), %llu were there, gave %llu back, "
               "%llu foreign messages\n",
               desk.store.names().job().c_str(),
               static_cast<unsigned long long>(counts.stored),
               static_cast<unsigned long long>(counts.failed),
               static_cast<unsigned long long>(counts.taken),
               static_cast<unsigned long long>(counts.given_back),
               static_cast<unsigned long long>(counts.foreign));
  return done;
}

int work(nats::Client& client, Flags flags) {
  const BatchFlags& batch = flags.batch;
  ProcessLog log(flags);
  flags.log = &log.logger();
  StopFlag stop;
  const StopSignals signals(stop);
  const auto project = host::Project::open(flags, rankd_extensions());
  if (!project) return fail_batch(project.error().text);
  const auto engine = host::Engine::start(flags, **project);
  if (!engine) return fail_batch(engine.error().text);
  nats::JetStream jetstream(client.box());
  if (!batch.job.empty()) {
    Desk desk{client, jetstream, jobs::JobStore(jetstream, batch.job), flags.log};
    const auto done = work_on(desk, batch, **engine, stop, true);
    return done ? kBatchOk : fail_batch(done.error().message());
  }
  // All jobs, one after another, until it is told to end.
  while (!stop.is_raised()) {
    const auto streams = jetstream.streams_of("mr.*.q.*");
    if (streams) {
      for (const std::string& stream : *streams) {
        const auto job = jobs::JobNames::job_of_queue(stream);
        if (!job || stop.is_raised()) continue;
        Desk desk{client, jetstream, jobs::JobStore(jetstream, *job), flags.log};
        const auto state = desk.store.state();
        if (!state || !state->has_work()) continue;
        if (auto done = work_on(desk, batch, **engine, stop, false); !done)
          (void)fail_batch(*job + ": " + done.error().message());
      }
    } else if (streams.error().code() == base::ErrorCode::kUnavailable &&
               client.link().state() == nats::LinkState::kConnected) {
      return fail_batch(streams.error().message());
    }
    (void)wait_or_stopped(stop, kWatchPauseMs);
  }
  return kBatchOk;
}

int show_status(Desk& desk, const BatchFlags& flags, Output& out) {
  StopFlag stop;
  const StopSignals signals(stop);
  jobs::RateMeter meter;
  while (true) {
    auto state = desk.store.state();
    if (!state) return fail_batch(state.error().message());
    if (state->is_done()) {
      if (auto counted = desk.store.count_results(*state); !counted)
        return fail_batch(counted.error().message());
    }
    if (!flags.watches) {
      out.write(status_text(flags.job, *state));
      return kBatchOk;
    }
    const jobs::Progress progress{
        .done = state->done_count,
        .total = state->manifest.line_count,
        .per_second = meter.add(base::steady_clock().now(), state->done_count)};
    out.write(base::format("{} failed {} waiting {} in flight {}\n",
                           jobs::progress_line(progress),
                           state->failed_count,
                           state->waiting_count,
                           state->in_flight_count));
    if (progress.done >= progress.total || wait_or_stopped(stop, kWatchPauseMs)) return kBatchOk;
  }
}

int fetch(Desk& desk, const BatchFlags& flags, Output& out) {
  ProgressBar bar;
  const auto outcome = jobs::fetch_results(
      desk.client.box(),
      desk.store,
      {.path = flags.out, .is_partial = flags.is_partial},
      [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); });
  if (!outcome) return fail_batch(outcome.error().message());
  out.write(base::format("{}: {} results are in {}\n", flags.job, outcome->written, flags.out));
  if (!outcome->missing.empty())
    out.write(base::format("lines without a result: {}\n", outcome->missing));
  return kBatchOk;
}

int remove(Desk& desk, const BatchFlags& flags, Output& out) {
  if (!flags.is_sure) return fail_batch("delete removes all results of the job; say --yes");
  if (auto done = desk.store.remove(); !done) return fail_batch(done.error().message());
  out.write(base::format("{}: deleted\n", flags.job));
  return kBatchOk;
}

}  // namespace

std::string status_text(const std::string& job, const jobs::JobState& state) {
  std::string text = base::format("job        {}\n", job);
  const auto add = [&](std::string_view name, std::uint64_t count) {
    text += base::format("{:<10} {}\n", name, count);
  };
  add("total", state.manifest.line_count);
  add("done", state.done_count);
  add("failed", state.failed_count);
  add("waiting", state.waiting_count);
  add("in flight", state.in_flight_count);
  add("duplicates", state.duplicate_count);
  if (state.queued_count < state.manifest.line_count)
    text +=
        base::format("submit was not finished: {} of {} lines are queued; submit the file again\n",
                     state.queued_count,
                     state.manifest.line_count);
  text +=
      "JetStream writes to disk once a minute: after a power cut, submit the file with --repair\n";
  return text;
}

namespace {

int run_action(nats::Client& client, const Flags& flags, Output& out) {
  const BatchFlags& batch = flags.batch;
  if (batch.action == BatchAction::kWork) return work(client, flags);
  nats::JetStream jetstream(client.box());
  Desk desk{client, jetstream, jobs::JobStore(jetstream, batch.job)};
  switch (batch.action) {
    case BatchAction::kSubmit:
      return submit(desk, batch, out);
    case BatchAction::kFetch:
      return fetch(desk, batch, out);
    case BatchAction::kDelete:
      return remove(desk, batch, out);
    default:
      return show_status(desk, batch, out);
  }
}

}  // namespace

int run_batch(const Flags& flags, Output& out) {
  const auto client = nats::Client::connect(
      link_settings(flags.batch.nats, [](const char* name) { return std::getenv(name); }));
  if (!client) return fail_batch(client.error().message());
  const int code = run_action(**client, flags, out);
  const std::string problem = (*client)->last_problem();
  if (code != kBatchOk && !problem.empty())
    (void)fail_batch("the NATS server has refused something: " + problem);
  return code;
}

}  // namespace millrace::rankd
