#include "bridge/state_table_client.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "bridge/graph_tables.h"
#include "graph/payload.h"
#include "graph/run/state_store.h"
#include "loop/awaitables.h"
#include "loop/task.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/stop_check.h"
#include "stores/parse_value.h"
#include "stores/store_client.h"
#include "tasks/endpoint_metrics.h"
#include "tasks/scratch_pool.h"

namespace millrace::bridge {
namespace {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;
using graph::Payload;
using graph::PayloadKind;
using graph::PayloadMember;
using stores::CommandBatch;
using stores::StoreCommand;
using stores::StoreReply;

/// What the texts of a reply are in: the tables, and texts that were made for it.
struct ReplyMemory {
  std::shared_ptr<const graph::StateSnapshot> snapshot;
  std::deque<std::string> made = {};
};

struct ScoredMember {
  double score = 0;
  std::string_view text;
};

/// Answers one batch. The text of a key is `TABLE:KEY`.
class TableAnswer {
 public:
  TableAnswer(const CommandBatch& batch,
              std::shared_ptr<const graph::StateSnapshot> snapshot,
              rows::RowScratch& scratch)
      : batch_(batch),
        scratch_(scratch),
        memory_(std::make_shared<ReplyMemory>(ReplyMemory{.snapshot = std::move(snapshot)})),
        texts_(scratch),
        integers_(scratch),
        scores_(scratch),
        ends_(scratch, batch.keys.size()) {}

  Result<StoreReply> run() {
    for (std::size_t key = 0; key < batch_.keys.size(); ++key) {
      if (!pacer_.go_on(1)) return std::unexpected(scratch_.stop().stopped().error());
      const std::string_view name = batch_.keys[key];
      MR_TRY_STATUS(add(find(name), name));
      MR_TRY_STATUS(scratch_.stop().check_rows(texts_.size() + integers_.size()));
      ends_.append(static_cast<std::uint32_t>(texts_.size() + integers_.size()));
    }
    StoreReply reply;
    reply.texts = texts_.finish();
    reply.integers = integers_.finish();
    reply.scores = scores_.finish();
    reply.ends = ends_.finish();
    reply.memory = std::move(memory_);
    return reply;
  }

 private:
  /// The entry of a key; nullptr if there is none, or if it is null.
  [[nodiscard]] const Payload* find(std::string_view name) const {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return nullptr;
    const auto table = memory_->snapshot->tables.find(name.substr(0, colon));
    if (table == memory_->snapshot->tables.end()) return nullptr;
    const auto entry = table->second->values.find(name.substr(colon + 1));
    if (entry == table->second->values.end()) return nullptr;
    return entry->second.kind() == PayloadKind::kNull ? nullptr : &entry->second;
  }

  Status add(const Payload* entry, std::string_view name) {
    switch (batch_.command) {
      case StoreCommand::kHashGetAll:
        return add_pairs(entry, name);
      case StoreCommand::kHashGet:
        return add_fields(entry, name);
      case StoreCommand::kListRange:
      case StoreCommand::kSetMembers:
        return add_items(entry, name);
      case StoreCommand::kSortedSetRange:
        return add_range(entry, name);
      case StoreCommand::kGet:
      case StoreCommand::kMultiGet:
        break;
    }
    const bool is_string = entry == nullptr || (entry->kind() != PayloadKind::kArray &&
                                                entry->kind() != PayloadKind::kObject);
    if (!is_string && batch_.command == StoreCommand::kGet) return wrong_type(name);
    texts_.append(is_string && entry != nullptr ? text_of(*entry) : std::string_view());
    return {};
  }

  Status add_pairs(const Payload* entry, std::string_view name) {
    if (entry == nullptr) return {};
    if (entry->kind() != PayloadKind::kObject) return wrong_type(name);
    for (const PayloadMember& member : entry->members()) {
      if (member.value.kind() == PayloadKind::kNull) continue;
      texts_.append(member.name);
      texts_.append(text_of(member.value));
    }
    return {};
  }

  Status add_fields(const Payload* entry, std::string_view name) {
    if (entry != nullptr && entry->kind() != PayloadKind::kObject) return wrong_type(name);
    for (const std::string& field : batch_.fields) {
      const Payload* const value = entry == nullptr ? nullptr : entry->find_member(field);
      texts_.append(value == nullptr ? std::string_view() : text_of(*value));
    }
    return {};
  }

  Status add_items(const Payload* entry, std::string_view name) {
    if (entry == nullptr) return {};
    if (entry->kind() != PayloadKind::kArray) return wrong_type(name);
    const bool is_set = batch_.command == StoreCommand::kSetMembers;
    const auto limit = static_cast<std::size_t>(batch_.count);
    if (is_set && entry->items().size() > limit) {
      return std::unexpected(stores::set_too_large(name, entry->items().size(), batch_.count));
    }
    const auto items = entry->items().first(std::min(limit, entry->items().size()));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string_view text = text_of(items[i]);
      if (!is_set && batch_.form == stores::ValueForm::kText) {
        texts_.append(text);
        continue;
      }
      const auto integer = stores::parse_int64(text);
      if (!integer) {
        return std::unexpected(is_set ? stores::member_not_int64(name, text)
                                      : stores::not_int64("list", name, i, text));
      }
      integers_.append(*integer);
    }
    return {};
  }

  Status add_range(const Payload* entry, std::string_view name) {
    if (entry == nullptr) return {};
    if (entry->kind() != PayloadKind::kObject) return wrong_type(name);
    members_.clear();
    for (const PayloadMember& member : entry->members()) {
      const auto score = member.value.find_number();
      if (!score) return wrong_type(name);
      members_.push_back({.score = *score, .text = member.name});
    }
    const auto rank = [](const ScoredMember& member) {
      return std::tuple(member.score, member.text);
    };
    if (batch_.reversed) {
      std::ranges::sort(members_, std::ranges::greater(), rank);
    } else {
      std::ranges::sort(members_, std::ranges::less(), rank);
    }
    const std::size_t count = std::min(static_cast<std::size_t>(batch_.count), members_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto integer = stores::parse_int64(members_[i].text);
      if (!integer) {
        return std::unexpected(stores::not_int64("sorted set", name, i, members_[i].text));
      }
      integers_.append(*integer);
      if (batch_.with_scores) scores_.append(members_[i].score);
    }
    return {};
  }

  /// The text of a value as a store would have it; a null view for null.
  [[nodiscard]] std::string_view text_of(const Payload& value) {
    if (value.kind() == PayloadKind::kNull) return {};
    if (const auto text = value.find_text()) {
      // An empty text is no null.
      return text->data() == nullptr ? std::string_view("") : *text;
    }
    return memory_->made.emplace_back(value.to_json());
  }

  static Status wrong_type(std::string_view name) {
    // In the words of the Redis client: answers do not depend on where the data is.
    return fail(ErrorCode::kNodeFailed,
                "WRONGTYPE: the key holds another type: " + std::string(name),
                std::string(name));
  }

  const CommandBatch& batch_;
  rows::RowScratch& scratch_;
  std::shared_ptr<ReplyMemory> memory_;
  rows::ArrayBuilder<std::string_view> texts_;
  rows::ArrayBuilder<std::int64_t> integers_;
  rows::ArrayBuilder<double> scores_;
  rows::ArrayBuilder<std::uint32_t> ends_;
  std::vector<ScoredMember> members_;
  rows::StopPacer pacer_{scratch_.stop()};
};

/// Threading: any thread, with a scratch of its own: snapshots are immutable.
Result<StoreReply> answer_from(std::shared_ptr<const graph::StateSnapshot> snapshot,
                               const CommandBatch& batch,
                               const rows::StopCheck& check,
                               rows::RowScratch& scratch) {
  scratch.set_stop(check);
  Result<StoreReply> reply = TableAnswer(batch, std::move(snapshot), scratch).run();
  if (!reply) scratch.give_back();
  scratch.set_stop({});
  if (!reply) return reply;
  reply->command_count = stores::command_count_of(batch);
  reply->round_trip_count = 1;
  return reply;
}

std::shared_ptr<const graph::StateSnapshot> snapshot_of(const stores::CallOptions& options) {
  // What a process pins is always a graph's tables.
  return static_cast<const PinnedTables&>(*options.pinned).snapshot();
}

loop::Task<Result<StoreReply>> answer_on_worker(CommandBatch batch,
                                                stores::CallOptions options,
                                                tasks::ScratchPool* scratches) {
  co_await loop::on(*options.workers);
  const tasks::ScratchLease scratch = scratches->acquire();
  co_return answer_from(snapshot_of(options), batch, options.check, scratch->rows());
}

}  // namespace

void StateTableClient::count(const CommandBatch& batch) {
  cells_.commands.add(stores::command_count_of(batch));
  cells_.batches.add();
  cells_.round_trips.add();
}

std::optional<Result<StoreReply>> StateTableClient::answer_now(const CommandBatch& batch,
                                                               const stores::CallOptions& options) {
  if (options.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The run is over");
  if (options.pinned == nullptr) {
    return fail(ErrorCode::kUnavailable,
                "No graph runs in this process; start it with --graph FILE");
  }
  const bool is_short =
      batch.command == StoreCommand::kHashGetAll || stores::is_surely_short(batch);
  if (options.workers != nullptr && !is_short) return std::nullopt;
  count(batch);
  return answer_from(snapshot_of(options), batch, options.check, scratch_);
}

loop::Task<Result<StoreReply>> StateTableClient::execute(CommandBatch batch,
                                                         stores::CallOptions options) {
  if (std::optional<Result<StoreReply>> now = answer_now(batch, options)) co_return *std::move(now);
  count(batch);
  co_return co_await answer_on_worker(std::move(batch), options, &worker_scratches_);
}

void StateTableClient::bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const {
  binding.bind(tasks::kEndpointCommands, {endpoint}, &cells_.commands);
  binding.bind(tasks::kEndpointRoundTrips, {endpoint}, &cells_.round_trips);
}

}  // namespace millrace::bridge
