#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "bench/nats/bus_load.h"
#include "bench/nats/bus_process.h"
#include "bench/nats/nats_rows.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/serve_project.h"
#include "jobs/job_names.h"
#include "jobs/job_store.h"
#include "nats/client.h"
#include "nats/jetstream.h"
#include "support/temp_folder.h"

namespace millrace::bench {
namespace {

constexpr base::Duration kJobMax = std::chrono::seconds(300);

struct BatchBench {
  std::string root;    ///< with plans
  std::string folder;  ///< for files
  const BusServer& server;
  nats::Client& client;
  std::size_t lines = 0;
};

/// Requests/s of the engine alone.
base::Result<double> engine_rate(const BatchBench& bench) {
  MR_TRY(const std::string text,
         run_rankd({.arguments = {"bench",
                                  "--root",
                                  bench.root,
                                  "--plan_name",
                                  "complex_dag",
                                  "--count",
                                  std::to_string(bench.lines),
                                  "--concurrency",
                                  "64",
                                  "--format",
                                  "json"},
                    .on_all_processors = true}));
  constexpr std::string_view kName = "\"requests_per_s\":";
  const std::size_t place = text.find(kName);
  if (place == std::string::npos) return base::fail(base::ErrorCode::kInternal, "No rate", text);
  return std::strtod(text.c_str() + place + kName.size(), nullptr);
}

/// Messages/s of a stream like that of results, each of the size of a result, 64 under way.
base::Result<double> store_rate(const BatchBench& bench, int turn, const std::string& result) {
  nats::JetStream jetstream(bench.client.box());
  const std::string name = base::format("BARE_{}", turn);
  MR_TRY_STATUS(jetstream.make_stream(
      name,
      base::format(R"({{"name":"{}","subjects":["bare.{}.*"],"retention":"limits",)"
                   R"("storage":"file","discard":"new","max_msgs_per_subject":1,)"
                   R"("discard_new_per_subject":true,"num_replicas":1}})",
                   name,
                   turn)));
  const BusLoad load{.outstanding = 64,
                     .requests = bench.lines,
                     .make =
                         [&](std::size_t number) {
                           return nats::Message{.subject = base::format("bare.{}.{}", turn, number),
                                                .data = result};
                         },
                     .is_right =
                         [](std::size_t, const nats::Message& answer) {
                           return nats::read_store_answer(answer) == nats::StoreOutcome::kStored;
                         }};
  MR_TRY(const double rate, rate_of(bench.client.box(), load));
  MR_TRY_STATUS(jetstream.delete_stream(name));
  return rate;
}

base::Result<std::uint64_t> done_count(nats::JetStream& jetstream, const jobs::JobNames& names) {
  MR_TRY(const auto stream, jetstream.find_stream(names.result_stream()));
  // One message is the manifest.
  return stream && stream->message_count > 0 ? stream->message_count - 1 : 0;
}

/// Lines/s of one worker, from the first results that are seen to the last one.
base::Result<double> work_rate(const BatchBench& bench, int turn, std::string& result) {
  const jobs::JobNames names(base::format("bench{}", turn));
  const std::string input = bench.folder + "/lines";
  const auto queued = run_rankd({.arguments = {"batch",
                                               "submit",
                                               input,
                                               "--root",
                                               bench.root,
                                               "--nats",
                                               bench.server.url,
                                               "--job",
                                               names.job(),
                                               "--plan",
                                               "complex_dag"},
                                 .log_file = bench.folder + "/submit.log",
                                 .on_all_processors = true});
  if (!queued) return std::unexpected(queued.error());
  MR_TRY(const auto worker,
         BusProcess::start({rankd_program(),
                            "batch",
                            "work",
                            "--root",
                            bench.root,
                            "--nats",
                            bench.server.url,
                            "--job",
                            names.job(),
                            "--concurrency",
                            "64"},
                           bench.folder + "/worker.log"));
  nats::JetStream jetstream(bench.client.box());
  std::uint64_t first_count = 0;
  base::TimePoint first{};
  const base::TimePoint begin = base::steady_clock().now();
  while (base::steady_clock().now() - begin < kJobMax) {
    MR_TRY(const std::uint64_t done, done_count(jetstream, names));
    const base::TimePoint now = base::steady_clock().now();
    if (first_count == 0 && done > 0) {
      first_count = done;
      first = now;
    }
    if (done >= bench.lines) {
      jobs::JobStore store(jetstream, names.job());
      MR_TRY(const jobs::JobState state, store.state());
      if (state.failed_count != 0 || state.done_count != bench.lines)
        return base::fail(base::ErrorCode::kInternal, "Lines of the job failed");
      MR_TRY(const auto found,
             jetstream.find_last(names.result_stream(), names.result_subject(bench.lines - 1)));
      if (!found || !found->data.contains("\"candidates\":[{"))
        return base::fail(base::ErrorCode::kInternal, "The last line has no right result");
      result = found->data;
      // Each job reserves 20 GiB for its streams, and JetStream takes no more than fit the disk.
      MR_TRY_STATUS(jetstream.delete_stream(names.queue_stream()));
      MR_TRY_STATUS(jetstream.delete_stream(names.result_stream()));
      const double seconds = std::max(1e-6, std::chrono::duration<double>(now - first).count());
      return static_cast<double>(bench.lines - first_count) / seconds;
    }
    wait_a_moment();
  }
  return base::fail(base::ErrorCode::kTimeout, "The job does not end");
}

}  // namespace

base::Status measure_batch(NatsReport& report) {
  const int turns = report.options.smoke ? 1 : 5;
  MR_TRY(const auto folder, TempFolder::make());
  MR_TRY(const BusServer server, BusServer::start(folder->path()));
  MR_TRY(const auto client, nats::Client::connect({.urls = {server.url}, .name = "bench"}));
  const BatchBench bench{.root = source_folder(),
                         .folder = folder->path(),
                         .server = server,
                         .client = *client,
                         .lines = report.options.smoke ? std::size_t{200} : std::size_t{20'000}};
  std::string lines;
  for (std::size_t i = 0; i < bench.lines; ++i)
    lines += base::format("{{\"user_id\":{},\"limit\":10}}\n", 1 + i % 100);
  MR_TRY_STATUS(write_file(folder->path() + "/lines", lines));
  std::vector<double> works;
  std::vector<double> engines;
  std::vector<double> stores;
  std::vector<double> shares;
  for (int turn = 0; turn < turns; ++turn) {
    std::string result;
    MR_TRY(const double work, work_rate(bench, turn, result));
    MR_TRY(const double engine, engine_rate(bench));
    MR_TRY(const double store, store_rate(bench, turn, result));
    works.push_back(work);
    engines.push_back(engine);
    stores.push_back(store);
    shares.push_back(work / std::min(engine, store));
  }
  report.figures.insert(
      report.figures.end(),
      {{.name = "rankd bench", .value = median(engines), .unit = "requests/s"},
       {.name = "publish with acknowledgement", .value = median(stores), .unit = "messages/s"},
       {.name = "rankd batch work", .value = median(works), .unit = "lines/s"},
       {.name = "batch work / the lower of the two",
        .value = median(shares) * 100,
        .unit = "%",
        .at_least = 50}});
  return {};
}

}  // namespace millrace::bench
