#include "apps/rankd/engine.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <semaphore>
#include <string>
#include <utility>

#include "base/format.h"
#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "stores/http_client.h"
#include "stores/redis/redis_client.h"
#include "stores/redis/redis_endpoint.h"

namespace millrace::rankd {
namespace {

// Small CPU work stays where its rows are: the way to a worker and back takes longer than a node
// that costs less than this. Turns are short, so I/O does not wait for all of the budget.
constexpr base::Duration kInlineThreshold = std::chrono::microseconds(50);
constexpr base::Duration kLoopInlineBudget = std::chrono::milliseconds(2);

std::optional<base::Duration> duration_of(double ms) {
  if (ms <= 0) return std::nullopt;
  return std::chrono::duration_cast<base::Duration>(std::chrono::duration<double, std::milli>(ms));
}

StartError from(const base::Error& error) { return {error.to_string()}; }

/// Runs a function on a loop and waits for it.
template <class Function>
void run_on(runtime::EventLoop& loop, Function function) {
  struct Call : runtime::Job {
    explicit Call(Function& called)
        : Job([](Job& job) {
            auto& self = static_cast<Call&>(job);
            self.function();
            self.done.release();
          }),
          function(called) {}
    Function& function;
    std::binary_semaphore done{0};
  };
  Call call(function);
  loop.post(call);
  call.done.acquire();
}

}  // namespace

Engine::~Engine() {
  // Late bodies end first: they may still use timers of their loop.
  plans_ = {};
  for (const auto& unit : loops_) {
    // Sockets are closed by the thread that uses them.
    run_on(*unit->loop, [&] { unit->clients.clear(); });
    unit->loop->stop();
  }
}

std::expected<std::unique_ptr<Engine>, StartError> Engine::start(const Flags& flags,
                                                                 const Project& project) {
  std::unique_ptr<Engine> engine(new Engine);
  if (!flags.dump_run_trace.empty()) {
    if (auto done = engine->open_trace_dump(flags.dump_run_trace); !done)
      return std::unexpected(done.error());
  }
  if (auto done = engine->start_threads(flags); !done) return std::unexpected(done.error());
  for (const auto& unit : engine->loops_) {
    if (auto done = engine->connect(project, *unit); !done) return std::unexpected(done.error());
  }
  if (auto done = engine->load_plans(flags, project); !done) return std::unexpected(done.error());
  for (const auto& unit : engine->loops_) {
    unit->ranker = std::make_unique<rank::Ranker>(
        engine->plans_,
        unit->services,
        rank::RankOptions{.deadline = duration_of(flags.deadline_ms),
                          .ids_as_strings = flags.ids_as_strings,
                          .allow_scheduling_overrides = flags.allow_scheduling_overrides});
  }
  return engine;
}

std::expected<void, StartError> Engine::start_threads(const Flags& flags) {
  auto workers = runtime::WorkerPool::create({.compute_threads = flags.cpu_threads,
                                              .callers_help = false,
                                              .loop_inline_budget = kLoopInlineBudget,
                                              .trace = &tracer_.collector()});
  if (!workers) return std::unexpected(from(workers.error()));
  workers_ = *std::move(workers);
  for (std::uint32_t index = 0; index < flags.loops; ++index) {
    auto loop = runtime::EventLoop::create(base::format("loop {}", index));
    if (!loop) return std::unexpected(from(loop.error()));
    LoopUnit& unit = *loops_.emplace_back(std::make_unique<LoopUnit>());
    unit.loop = *std::move(loop);
    unit.connector = std::make_unique<net::UvConnector>(*unit.loop);
  }
  return {};
}

std::expected<void, StartError> Engine::connect(const Project& project, LoopUnit& unit) {
  const auto endpoints = project.registry().endpoints();
  const bool is_first = endpoint_kinds_.empty();
  for (std::size_t index = 0; index < endpoints.size(); ++index) {
    if (is_first) {
      endpoint_kinds_.push_back(endpoints[index].kind == plan::EndpointKind::kHttp
                                    ? tasks::ClientKind::kHttp
                                    : tasks::ClientKind::kStore);
      stores_.emplace_back();
    }
    auto made = make_client(project, index, unit);
    if (!made) return std::unexpected(made.error());
    std::unique_ptr<tasks::EndpointClient> client = *std::move(made);
    unit.client_refs.push_back(client.get());
    if (client != nullptr) unit.clients.push_back(std::move(client));
  }
  unit.services = {.loop = unit.loop.get(),
                   .workers = workers_.get(),
                   .clients = unit.client_refs,
                   .loop_scratch = &unit.scratch,
                   .scratches = &scratches_,
                   .wall_clock = &wall_clock_,
                   .tracer = &tracer_};
  return {};
}

std::expected<std::unique_ptr<tasks::EndpointClient>, StartError> Engine::make_client(
    const Project& project, std::size_t endpoint_index, LoopUnit& unit) {
  const plan::EndpointInfo& endpoint = project.registry().endpoints()[endpoint_index];
  switch (endpoint.kind) {
    case plan::EndpointKind::kEmbedded: {
      std::shared_ptr<const void>& shared = stores_[endpoint_index];
      if (shared == nullptr) {
        const std::filesystem::path path =
            std::filesystem::path(project.root()) / endpoint.data_file;
        auto store = stores::EmbeddedStore::load(path.string());
        if (!store) return std::unexpected(from(store.error()));
        shared = *std::move(store);
      }
      return std::make_unique<stores::EmbeddedClient>(
          std::static_pointer_cast<const stores::EmbeddedStore>(shared));
    }
    case plan::EndpointKind::kRedis: {
      auto settings = stores::redis_settings_of(endpoint, project.root());
      if (!settings) return std::unexpected(from(settings.error()));
      // Only the waits between attempts to connect are random: seeds need to differ, not to be
      // kept.
      const auto seed =
          static_cast<std::uint64_t>(base::steady_clock().now().time_since_epoch().count());
      return std::make_unique<stores::RedisClient>(
          *unit.loop, *unit.connector, *std::move(settings), seed);
    }
    case plan::EndpointKind::kHttp: {
      // Only the time for which a failing server is left alone is random: seeds need to differ, not
      // to be kept.
      const auto seed =
          static_cast<std::uint64_t>(base::steady_clock().now().time_since_epoch().count());
      return std::make_unique<stores::HttpFetchClient>(
          *unit.loop, *unit.connector, stores::http_options_of(endpoint, project.root()), seed);
    }
  }
  return nullptr;
}

std::expected<void, StartError> Engine::load_plans(const Flags& flags, const Project& project) {
  auto files = project.load_plans(flags);
  if (!files) return std::unexpected(files.error());
  std::string problems;
  for (PlanFile& file : *files) {
    if (!file.plan) {
      problems += base::format("{}:\n{}", file.path, file.plan.error().to_text());
      continue;
    }
    auto loaded = rank::LoadedPlan::load(*file.plan,
                                         project.registry(),
                                         project.tasks(),
                                         {.node_timeout = duration_of(flags.node_timeout_ms),
                                          .costs = {.inline_threshold = kInlineThreshold},
                                          .endpoints = endpoint_kinds_,
                                          .artifact = std::move(file.text)});
    base::Status added =
        loaded ? plans_.add(*std::move(loaded)) : base::Status(std::unexpected(loaded.error()));
    if (!added) problems += base::format("{}: {}\n", file.path, added.error().to_string());
  }
  if (!problems.empty()) return std::unexpected(StartError{std::move(problems)});
  if (flags.plan_name.empty()) return {};
  if (auto set = plans_.set_default(flags.plan_name); !set)
    return std::unexpected(StartError{set.error().message()});
  return {};
}

std::expected<void, StartError> Engine::open_trace_dump(const std::string& path) {
  dump_path_ = path;
  dump_file_.open(path, std::ios::binary);
  if (!dump_file_) return std::unexpected(StartError{base::format("Cannot write '{}'", path)});
  dump_ = std::make_unique<runtime::ChromeTraceSink>(dump_file_);
  tracer_.dump_to(*dump_);
  return {};
}

std::expected<void, StartError> Engine::close_trace_dump() {
  if (dump_ == nullptr) return {};
  tracer_.flush();
  const base::Status closed = dump_->close();
  dump_file_.close();
  if (closed && dump_file_) return {};
  return std::unexpected(StartError{base::format("Cannot write '{}'", dump_path_)});
}

stores::StoreCounters Engine::store_counters() const {
  stores::StoreCounters sum;
  for (const auto& unit : loops_) {
    for (const auto& client : unit->clients) {
      if (client->client_kind() != tasks::ClientKind::kStore) continue;
      const stores::StoreCounters one = static_cast<stores::StoreClient&>(*client).counters();
      sum.commands += one.commands;
      sum.batches += one.batches;
      sum.round_trips += one.round_trips;
    }
  }
  return sum;
}

}  // namespace millrace::rankd
