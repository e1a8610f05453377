#include "stores/embedded_client.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/metrics/metric_binding.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/task.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/stop_check.h"
#include "stores/embedded_data.h"
#include "stores/embedded_store.h"
#include "stores/parse_value.h"
#include "stores/store_client.h"
#include "tasks/endpoint_metrics.h"
#include "tasks/scratch_pool.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;
using Entry = EmbeddedStore::Entry;

namespace {

constexpr std::string_view kNullText{};

/// Finds a key; nullptr if it is missing, an error if it is of another kind.
Result<const Entry*> find(const EmbeddedStore& store, std::string_view key, EntryKind wanted) {
  const Entry* entry = store.find_entry(key);
  if (entry == nullptr || entry->kind == wanted) return entry;
  // In the words of the Redis client: answers do not depend on where the data is.
  return fail(ErrorCode::kNodeFailed,
              "WRONGTYPE: the key holds another type: " + std::string(key),
              std::string(key));
}

/// The kind of entry whose values become ids.
EntryKind kind_of_ids(StoreCommand command) {
  switch (command) {
    case StoreCommand::kSortedSetRange:
      return EntryKind::kSortedSet;
    case StoreCommand::kSetMembers:
      return EntryKind::kSet;
    default:
      return EntryKind::kList;
  }
}

std::size_t item_count(const Entry* entry, std::int64_t limit) {
  if (entry == nullptr) return 0;
  return std::min<std::size_t>(entry->count, static_cast<std::size_t>(limit));
}

/// Answers one kind of batch into a reply.
class Answer {
 public:
  Answer(const EmbeddedStore& store,
         const CommandBatch& batch,
         rows::RowScratch& scratch,
         std::vector<const Entry*>& entries)
      : store_(store), batch_(batch), scratch_(scratch), entries_(entries) {
    reply_.ends = scratch.make_array<std::uint32_t>(batch.keys.size());
  }

  Status integers() {
    // First the sizes, so that the numbers land in one array that a column can take over.
    std::vector<const Entry*>& entries = entries_;
    entries.resize(batch_.keys.size());
    const EntryKind kind = kind_of_ids(batch_.command);
    std::size_t total = 0;
    for (std::size_t key = 0; key < batch_.keys.size(); ++key) {
      if (!pacer_.go_on(1)) return scratch_.stop().stopped();
      MR_TRY(entries[key], find(store_, batch_.keys[key], kind));
      if (entries[key] != nullptr) MR_TRY_STATUS(check_items(*entries[key], batch_.keys[key]));
      total += item_count(entries[key], batch_.count);
      MR_TRY_STATUS(scratch_.stop().check_rows(total));
      reply_.ends[key] = static_cast<std::uint32_t>(total);
    }
    MR_TRY_STATUS(scratch_.stop().check());
    reply_.integers = scratch_.make_array<std::int64_t>(total);
    if (batch_.with_scores) reply_.scores = scratch_.make_array<double>(total);
    for (std::size_t key = 0; key < batch_.keys.size(); ++key) {
      const std::size_t count = item_count(entries[key], batch_.count);
      if (count == 0) continue;
      if (!pacer_.go_on(count)) return scratch_.stop().stopped();
      copy_items(*entries[key], count, reply_.begin_of(key));
    }
    return {};
  }

  Status list_texts() {
    rows::ArrayBuilder<std::string_view> texts(scratch_, batch_.keys.size());
    for (std::size_t key = 0; key < batch_.keys.size(); ++key) {
      if (!pacer_.go_on(1)) return scratch_.stop().stopped();
      MR_TRY(const Entry* entry, find(store_, batch_.keys[key], EntryKind::kList));
      if (entry != nullptr) {
        const auto items = store_.values(*entry).first(item_count(entry, batch_.count));
        MR_TRY_STATUS(scratch_.stop().check_rows(texts.size() + items.size()));
        if (!pacer_.go_on(items.size())) return scratch_.stop().stopped();
        for (const EmbeddedStore::Text& item : items) texts.append(store_.text(item));
      }
      reply_.ends[key] = static_cast<std::uint32_t>(texts.size());
    }
    reply_.texts = texts.finish();
    return {};
  }

  Status hash_pairs() {
    rows::ArrayBuilder<std::string_view> texts(scratch_, batch_.keys.size());
    for (std::size_t key = 0; key < batch_.keys.size(); ++key) {
      if (!pacer_.go_on(1)) return scratch_.stop().stopped();
      MR_TRY(const Entry* entry, find(store_, batch_.keys[key], EntryKind::kHash));
      if (entry != nullptr) {
        if (!pacer_.go_on(entry->count)) return scratch_.stop().stopped();
        for (const EmbeddedStore::Text& value : store_.values(*entry)) {
          texts.append(store_.field_name(value.field));
          texts.append(store_.text(value));
        }
      }
      reply_.ends[key] = static_cast<std::uint32_t>(texts.size());
    }
    reply_.texts = texts.finish();
    return {};
  }

  Status hash_fields() {
    const std::size_t field_count = batch_.fields.size();
    rows::Array<EmbeddedStore::FieldId> fields =
        scratch_.make_array<EmbeddedStore::FieldId>(field_count);
    for (std::size_t i = 0; i < field_count; ++i) fields[i] = store_.find_field(batch_.fields[i]);
    reply_.texts = scratch_.make_array<std::string_view>(batch_.keys.size() * field_count);
    for (std::size_t key = 0; key < batch_.keys.size(); ++key) {
      if (!pacer_.go_on(field_count)) return scratch_.stop().stopped();
      MR_TRY(const Entry* entry, find(store_, batch_.keys[key], EntryKind::kHash));
      for (std::size_t i = 0; i < field_count; ++i) {
        reply_.texts[key * field_count + i] = value_of(entry, fields[i]);
      }
      reply_.ends[key] = static_cast<std::uint32_t>((key + 1) * field_count);
    }
    return {};
  }

  Status strings(bool other_kinds_are_null) {
    reply_.texts = scratch_.make_array<std::string_view>(batch_.keys.size());
    for (std::size_t key = 0; key < batch_.keys.size(); ++key) {
      if (!pacer_.go_on(1)) return scratch_.stop().stopped();
      Result<const Entry*> entry = find(store_, batch_.keys[key], EntryKind::kString);
      if (!entry && !other_kinds_are_null) return std::unexpected(std::move(entry).error());
      const bool found = entry && *entry != nullptr;
      reply_.texts[key] = found ? store_.text(store_.values(**entry).front()) : kNullText;
      reply_.ends[key] = static_cast<std::uint32_t>(key + 1);
    }
    return {};
  }

  [[nodiscard]] StoreReply finish() { return std::move(reply_); }

 private:
  /// The position in the entry of the `index`th item that is wanted.
  [[nodiscard]] std::size_t place_of(const Entry& entry, std::size_t index) const {
    return batch_.reversed ? entry.count - 1 - index : index;
  }

  void copy_items(const Entry& entry, std::size_t count, std::size_t begin) {
    const std::span<const std::int64_t> integers = store_.integers(entry);
    std::int64_t* const out = reply_.integers.data() + begin;
    if (batch_.reversed) {
      for (std::size_t i = 0; i < count; ++i) out[i] = integers[place_of(entry, i)];
    } else {
      std::memcpy(out, integers.data(), count * sizeof(std::int64_t));
    }
    if (!batch_.with_scores) return;
    const std::span<const EmbeddedStore::Text> members = store_.values(entry);
    for (std::size_t i = 0; i < count; ++i) {
      reply_.scores[begin + i] = store_.score(members[place_of(entry, i)]);
    }
  }

  /// Checks the items that are wanted: a list whose other items are no integers is fine.
  Status check_items(const Entry& entry, std::string_view key) const {
    const bool is_set = entry.kind == EntryKind::kSet;
    if (is_set && entry.count > static_cast<std::size_t>(batch_.count)) {
      return std::unexpected(set_too_large(key, entry.count, batch_.count));
    }
    if (entry.all_integers) return {};
    const auto items = store_.values(entry);
    const std::size_t count = item_count(&entry, batch_.count);
    for (std::size_t position = 0; position < count; ++position) {
      const std::string_view item = store_.text(items[place_of(entry, position)]);
      if (parse_int64(item)) continue;
      if (is_set) return std::unexpected(member_not_int64(key, item));
      const std::string_view what = entry.kind == EntryKind::kList ? "list" : "sorted set";
      return std::unexpected(not_int64(what, key, position, item));
    }
    return {};
  }

  [[nodiscard]] std::string_view value_of(const Entry* entry, EmbeddedStore::FieldId field) const {
    if (entry == nullptr || field == EmbeddedStore::kNoField) return kNullText;
    for (const EmbeddedStore::Text& value : store_.values(*entry)) {
      if (value.field == field) return store_.text(value);
    }
    return kNullText;
  }

  const EmbeddedStore& store_;
  const CommandBatch& batch_;
  rows::RowScratch& scratch_;
  std::vector<const Entry*>& entries_;
  rows::StopPacer pacer_{scratch_.stop()};
  StoreReply reply_;
};

Status answer_command(Answer& answer, const CommandBatch& batch) {
  switch (batch.command) {
    case StoreCommand::kHashGetAll:
      return answer.hash_pairs();
    case StoreCommand::kHashGet:
      return answer.hash_fields();
    case StoreCommand::kListRange:
      return batch.form == ValueForm::kInt64 ? answer.integers() : answer.list_texts();
    case StoreCommand::kSortedSetRange:
    case StoreCommand::kSetMembers:
      return answer.integers();
    case StoreCommand::kGet:
      return answer.strings(false);
    case StoreCommand::kMultiGet:
      return answer.strings(true);
  }
  return {};
}

}  // namespace

namespace {

/// What answers need besides the batch.
struct Workspace {
  rows::RowScratch& scratch;
  std::vector<const Entry*>& entries;
};

/// Threading: any thread, with a workspace of its own.
Result<StoreReply> make_answer(const EmbeddedStoreRef& store,
                               const CommandBatch& batch,
                               const rows::StopCheck& check,
                               Workspace space) {
  space.scratch.set_stop(check);
  Answer answer(*store, batch, space.scratch, space.entries);
  const Status answered = answer_command(answer, batch);
  if (!answered) space.scratch.give_back();
  space.scratch.set_stop({});
  if (!answered) return std::unexpected(answered.error());
  StoreReply reply = answer.finish();
  reply.command_count = command_count_of(batch);
  reply.round_trip_count = 1;
  reply.memory = store;
  return reply;
}

loop::Task<Result<StoreReply>> answer_on_worker(EmbeddedStoreRef store,
                                                CommandBatch batch,
                                                CallOptions options,
                                                tasks::ScratchPool* scratches) {
  co_await loop::on(*options.workers);
  const tasks::ScratchLease scratch = scratches->acquire();
  std::vector<const Entry*> entries;
  co_return make_answer(store, batch, options.check, {scratch->rows(), entries});
}

}  // namespace

void EmbeddedClient::count(const CommandBatch& batch) {
  cells_.commands.add(command_count_of(batch));
  cells_.batches.add();
  cells_.round_trips.add();
}

Result<StoreReply> EmbeddedClient::answer(const CommandBatch& batch, const rows::StopCheck& check) {
  count(batch);
  return make_answer(store_, batch, check, {scratch_, entries_});
}

bool EmbeddedClient::is_long(const CommandBatch& batch) const {
  if (is_surely_short(batch)) [[likely]]
    return false;
  if (batch.keys.size() > kLoopLookupsMax || batch.command == StoreCommand::kHashGet) return true;
  // Lists may be shorter than what is asked for.
  const bool is_list = batch.command != StoreCommand::kHashGetAll;
  std::size_t values = 0;
  for (std::size_t key = 0; key < batch.keys.size(); ++key) {
    const Entry* const entry = store_->find_entry(batch.keys[key]);
    if (entry != nullptr) values += is_list ? item_count(entry, batch.count) : entry->count;
  }
  return values > kLoopWorkMax;
}

void EmbeddedClient::bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const {
  binding.bind(tasks::kEndpointCommands, {endpoint}, &cells_.commands);
  binding.bind(tasks::kEndpointRoundTrips, {endpoint}, &cells_.round_trips);
}

std::optional<Result<StoreReply>> EmbeddedClient::answer_now(const CommandBatch& batch,
                                                             const CallOptions& options) {
  if (options.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The run is over");
  if (options.workers != nullptr && is_long(batch)) return std::nullopt;
  return answer(batch, options.check);
}

loop::Task<Result<StoreReply>> EmbeddedClient::execute(CommandBatch batch, CallOptions options) {
  if (std::optional<Result<StoreReply>> now = answer_now(batch, options)) co_return *std::move(now);
  count(batch);
  co_return co_await answer_on_worker(store_, std::move(batch), options, &worker_scratches_);
}

}  // namespace millrace::stores
