#include "stores/redis/redis_client.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/metrics/metric_binding.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "net/stream.h"
#include "rows/row_scratch.h"
#include "stores/redis/fetch.h"
#include "stores/redis/fetch_wait.h"
#include "stores/redis/inflight_table.h"
#include "stores/redis/redis_pool.h"
#include "stores/redis/redis_settings.h"
#include "stores/store_client.h"
#include "tasks/endpoint_metrics.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;
using base::Result;

namespace {

PoolSettings pool_settings(const RedisSettings& settings) {
  PoolSettings pool = settings.pool;
  pool.greeting.tracking = settings.cache_ttl.count() != 0;
  return pool;
}

}  // namespace

RedisClient::RedisClient(loop::Loop& loop,
                         net::Connector& connector,
                         RedisSettings settings,
                         std::uint64_t random_seed)
    : loop_(loop),
      settings_(std::move(settings)),
      random_(random_seed),
      deadlines_(loop),
      cache_(settings_.cache_ttl, settings_.cache_bytes_max) {
  const RedisConnection::Services services{
      .loop = loop, .connector = connector, .random = random_, .cells = connection_cells_};
  auto* const listener = static_cast<PoolListener*>(this);
  if (settings_.cluster) {
    cluster_.emplace(services, pool_settings(settings_), listener);
  } else {
    pool_.emplace(services, pool_settings(settings_), listener);
  }
}

RedisClient::~RedisClient() = default;

loop::Task<Result<StoreReply>> RedisClient::execute(CommandBatch batch, CallOptions options) {
  if (options.stop.stop_requested()) co_return fail(ErrorCode::kCancelled, "The run is over");
  if (batch.keys.size() == 0) co_return StoreReply();
  sharing_cells_.batches.add();
  FetchWait wait(deadlines_, options);
  MR_CO_TRY_STATUS(prepare(std::move(batch), wait));
  MR_CO_TRY_STATUS(co_await wait);
  co_return wait.assemble(scratch_);
}

base::Status RedisClient::prepare(CommandBatch batch, FetchWait& wait) {
  auto fetch = std::make_shared<Fetch>(static_cast<FetchHost&>(*this), loop_, std::move(batch));
  const bool needs_lookup =
      settings_.single_flight || cache_.is_on() || fetch->batch().keys.size() > 1;
  if (!needs_lookup) {
    static_cast<void>(wait.part_of(*fetch));
  } else if (!share_keys(*fetch, wait)) {
    return {};
  }
  fetch->invalidations_before = invalidation_count_;
  base::Status sent = fetch->start(scratch_, settings_.hedge_after);
  if (!sent || !settings_.single_flight) forget(*fetch);
  return sent;
}

bool RedisClient::share_keys(Fetch& fetch, FetchWait& wait) {
  const KeyList& keys = fetch.batch().keys;
  fetch.shape_id = id_of(fetch);
  fetch.hashes.reserve(keys.size());
  const base::TimePoint now = cache_.is_on() ? loop_.clock().now() : base::TimePoint();
  std::vector<std::uint32_t> chosen;
  bool is_plain = true;  // the fetch asks for every key so far, in order
  const auto note = [&](std::size_t key, FetchWait::Source source) {
    if (is_plain) {
      is_plain = false;
      for (std::uint32_t i = 0; i < key; ++i) {
        wait.sources.push_back({.part = 0, .index = i});
        chosen.push_back(i);
      }
    }
    wait.sources.push_back(source);
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (auto cached = cache_.is_on() ? cache_.find(fetch.shape_id, keys[i], now) : nullptr) {
      sharing_cells_.keys_cached.add();
      note(i, {.part = wait.add_part({.fetch = nullptr, .cached = std::move(cached)}), .index = 0});
      continue;
    }
    bool added = false;
    const InflightTable::Entry& entry =
        inflight_.find_or_add({.hash = InflightTable::hash_of(fetch.shape_id, keys[i]),
                               .fetch = &fetch,
                               .key = keys[i],
                               .shape = fetch.shape_id,
                               .index = static_cast<std::uint32_t>(fetch.hashes.size())},
                              added);
    const FetchWait::Source source{.part = wait.part_of(*entry.fetch), .index = entry.index};
    if (added) {
      fetch.hashes.push_back(entry.hash);
      if (is_plain) continue;
      chosen.push_back(static_cast<std::uint32_t>(i));
    } else {
      sharing_cells_.keys_shared.add();
    }
    note(i, source);
  }
  const bool has_own = !fetch.hashes.empty();
  if (has_own) fetch.choose(std::move(chosen));
  return has_own;
}

std::uint32_t RedisClient::id_of(const Fetch& fetch) {
  const BatchShape& shape = fetch.shape();
  const std::span<const std::string> fields = fetch.batch().fields;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const KnownShape& known = shapes_[i];
    if (known.shape == shape && std::ranges::equal(known.fields, fields)) {
      return static_cast<std::uint32_t>(i);
    }
  }
  shapes_.push_back({.shape = shape, .fields = {fields.begin(), fields.end()}});
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

void RedisClient::forget(Fetch& fetch) {
  for (std::uint32_t i = 0; i < fetch.hashes.size(); ++i) {
    inflight_.remove({.hash = fetch.hashes[i], .fetch = &fetch, .index = i});
  }
  fetch.hashes.clear();
}

void RedisClient::on_unwanted(Fetch& fetch) { forget(fetch); }

void RedisClient::on_fetched(Fetch& fetch) {
  forget(fetch);
  // A key that the server invalidated during the fetch may be in this reply: do not cache it then.
  const bool may_keep = fetch.status() && fetch.invalidations_before == invalidation_count_;
  if (!cache_.is_on() || !may_keep) return;
  const base::TimePoint now = loop_.clock().now();
  for (std::size_t i = 0; i < fetch.size(); ++i) {
    if (fetch.find_error(i) != nullptr) continue;
    cache_.add(fetch.shape_id, fetch.keys()[i], fetch.reply(), i, now);
  }
}

void RedisClient::on_invalidated(std::optional<std::vector<std::string>> keys) {
  ++invalidation_count_;
  if (!keys) return cache_.clear();
  for (const std::string& key : *keys) cache_.forget(key);
}

StoreCounters RedisClient::counters() const {
  return {.commands = connection_cells_.commands.value(),
          .batches = sharing_cells_.batches.value(),
          .round_trips = connection_cells_.writes.value()};
}

void RedisClient::bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const {
  const ConnectionCells& cells = connection_cells_;
  binding.bind(tasks::kEndpointCommands, {endpoint}, &cells.commands);
  binding.bind(tasks::kEndpointRoundTrips, {endpoint}, &cells.writes);
  binding.bind(tasks::kEndpointErrors, {endpoint}, &cells.failed);
  binding.bind(tasks::kEndpointErrors, {endpoint}, &cells.refused);
  binding.bind(tasks::kEndpointTimeouts, {endpoint}, &cells.timeouts);
  binding.bind(tasks::kEndpointConnects, {endpoint}, &cells.connects);
  binding.bind(tasks::kEndpointConnectionsLost, {endpoint}, &cells.connections_lost);
  binding.bind(tasks::kEndpointBreakerOpen, {endpoint}, &cells.breakers_open);
  binding.bind(tasks::kEndpointDuration, {endpoint}, &cells.duration);
  binding.bind(tasks::kEndpointSharedKeys, {endpoint}, &sharing_cells_.keys_shared);
  binding.bind(tasks::kEndpointCachedKeys, {endpoint}, &sharing_cells_.keys_cached);
}

}  // namespace millrace::stores
