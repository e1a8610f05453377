#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics/metric_cell.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "loop/executor.h"
#include "loop/stop.h"
#include "loop/task.h"
#include "rows/row_scratch.h"
#include "rows/stop_check.h"
#include "stores/key_list.h"
#include "tasks/endpoint_client.h"
#include "tasks/pinned_state.h"

namespace millrace::stores {

/// What a batch asks for each of its keys. The meaning is that of the Redis command.
enum class StoreCommand : std::uint8_t {
  kHashGetAll,      ///< HGETALL: field, value, field, value, …; nothing if the key is missing
  kHashGet,         ///< HMGET: one value per field, null if field or key is missing
  kListRange,       ///< LRANGE 0 count-1; nothing if the key is missing
  kSortedSetRange,  ///< ZRANGE 0 count-1, with REV if `reversed`, with WITHSCORES if `with_scores`;
                    ///< nothing if the key is missing
  kSetMembers,      ///< SMEMBERS, in no order; nothing if the key is missing, an error if there are
                    ///< more than `count`
  kGet,             ///< GET: one value, null if the key is missing; an error if it is no string
  kMultiGet,        ///< one MGET for all keys: as GET, but null if the key is no string
};

[[nodiscard]] std::string_view to_string(StoreCommand command);

/// In which form values come back.
enum class ValueForm : std::uint8_t {
  kText,
  kInt64,  ///< of a list, a sorted set or a set; a value that is no int64 fails the batch
};

/// One command for many keys, issued at once.
/// Lifetime: borrows `fields` until the reply is there.
struct CommandBatch {
  StoreCommand command = StoreCommand::kGet;
  KeyList keys;
  std::span<const std::string> fields = {};  ///< for kHashGet
  std::int64_t count = 0;  ///< for kListRange, kSortedSetRange and kSetMembers, at least 1
  ValueForm form = ValueForm::kText;  ///< for kSortedSetRange and kSetMembers always kInt64
  bool reversed = false;              ///< for kSortedSetRange: the largest score first
  bool with_scores = false;           ///< for kSortedSetRange
};

/// The answers to a batch, key after key, in few blocks of memory.
/// Threading: not shared. Lifetime: texts live as long as the reply.
struct StoreReply {
  /// Texts of all keys one after another; null is a view whose data() is nullptr. Empty in the form
  /// kInt64.
  rows::Array<std::string_view> texts;
  /// The same in the form kInt64: ready to be a column.
  rows::Array<std::int64_t> integers;
  /// As long as `integers` if scores were asked for, else empty. May be infinite, never NaN.
  rows::Array<double> scores;
  /// For each key, where its values end.
  rows::Array<std::uint32_t> ends;
  std::uint64_t command_count = 0;
  std::uint64_t round_trip_count = 0;
  /// Keeps the memory of the texts. Owners: this, and whoever filled it.
  std::shared_ptr<const void> memory;

  [[nodiscard]] std::uint32_t begin_of(std::size_t key) const {
    return key == 0 ? 0 : ends[key - 1];
  }
  [[nodiscard]] std::span<const std::string_view> texts_of(std::size_t key) const {
    return texts.span().subspan(begin_of(key), ends[key] - begin_of(key));
  }
};

[[nodiscard]] inline bool is_null(std::string_view text) { return text.data() == nullptr; }

struct CallOptions {
  loop::StopToken stop = {};
  /// The call ends with kTimeout at this time at the latest.
  std::optional<base::TimePoint> deadline = {};
  /// For clients that answer at once: asked between parts of the work; counts memory and rows.
  rows::StopCheck check = {};
  /// What the request sees of the graph in this process; borrowed until the reply is there.
  const tasks::PinnedState* pinned = nullptr;
  /// Where a client that has its data in memory does what would keep the loop for long; null: it
  /// does all work where it is called.
  loop::Executor* workers = nullptr;
};

/// What a client of a store has done since it was made.
struct StoreCounters {
  std::uint64_t commands = 0;
  std::uint64_t batches = 0;
  /// Waits for the peer: batches that leave together wait once.
  std::uint64_t round_trips = 0;
};

/// The same as cells: the loop thread of the client writes them, any thread reads them.
struct alignas(base::kApartBytes) StoreCells {
  base::CounterCell commands;
  base::CounterCell batches;
  base::CounterCell round_trips;

  [[nodiscard]] StoreCounters counters() const {
    return {.commands = commands.value(),
            .batches = batches.value(),
            .round_trips = round_trips.value()};
  }
};

/// A store of hashes, lists, sets, sorted sets and strings: Redis, embedded data, or a fake.
///
/// Errors name the key. A command on a key of another type fails its whole batch (WRONGTYPE), as
/// does a value of a list or a set that was wanted as int64 and is none.
/// Threading: loop thread, but for `counters`. Lifetime: outlives the batches in flight.
class StoreClient : public tasks::EndpointClient {
 public:
  StoreClient() : EndpointClient(tasks::ClientKind::kStore) {}

  /// Issues all commands of the batch at once and gives all answers. Ends early with kCancelled
  /// when a stop is requested, with kTimeout at the deadline.
  [[nodiscard]] virtual loop::Task<base::Result<StoreReply>> execute(CommandBatch batch,
                                                                     CallOptions options) = 0;
  /// Answers at once, if the client can do so without waiting and without keeping the loop for
  /// long; otherwise gives nothing, and the caller uses `execute`.
  [[nodiscard]] virtual std::optional<base::Result<StoreReply>> answer_now(
      const CommandBatch& batch, const CallOptions& options) {
    static_cast<void>(batch);
    static_cast<void>(options);
    return std::nullopt;
  }
  /// Threading: any thread.
  [[nodiscard]] virtual StoreCounters counters() const = 0;
};

/// How many commands a server receives for a batch.
[[nodiscard]] inline std::uint64_t command_count_of(const CommandBatch& batch) {
  return batch.command == StoreCommand::kMultiGet ? 1 : batch.keys.size();
}

/// Work with rows that a loop does itself, in values that are copied, each some tens of
/// nanoseconds: less than half a millisecond, so that a deadline is never missed by more than one
/// (C9). What is more goes to a worker, which costs some microseconds.
inline constexpr std::size_t kLoopWorkMax = 16'384;
/// The same for work that finds or parses each value.
inline constexpr std::size_t kLoopLookupsMax = kLoopWorkMax / 4;

/// Says whether a batch asks for so little that its answer is never long, however large the lists
/// are. `HGETALL` is not among them: hashes may have any size.
[[nodiscard]] inline bool is_surely_short(const CommandBatch& batch) {
  const std::size_t keys = batch.keys.size();
  if (keys > kLoopLookupsMax) return false;
  switch (batch.command) {
    case StoreCommand::kHashGetAll:
      return false;
    case StoreCommand::kHashGet:
      return keys * batch.fields.size() <= kLoopLookupsMax;
    case StoreCommand::kListRange:
    case StoreCommand::kSortedSetRange:
    case StoreCommand::kSetMembers:
      return keys * static_cast<std::size_t>(batch.count) <= kLoopWorkMax;
    case StoreCommand::kGet:
    case StoreCommand::kMultiGet:
      return true;
  }
  return true;
}

}  // namespace millrace::stores
