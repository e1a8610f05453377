#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "rows/column.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"
#include "stores/store_client.h"
#include "tasks/param_types.h"
#include "tasks/task_context.h"

// What the tasks of this module share: rows to keys, texts to columns.

namespace millrace::stores {

/// The client of an endpoint; kUnavailable if there is none.
[[nodiscard]] base::Result<StoreClient*> store_of(const tasks::TaskContext& context,
                                                  const tasks::StoreEndpoint& endpoint);

/// Issues a batch for a node and counts it in the node's stats: `co_await NodeFetch(*client, batch,
/// context)`. Suspends only if the client cannot answer at once.
/// Lifetime: borrows the client and what the context borrows.
class [[nodiscard]] NodeFetch {
 public:
  NodeFetch(StoreClient& client, CommandBatch batch, const tasks::TaskContext& context)
      : stats_(context.stats()) {
    const CallOptions options{.stop = context.stop_token(),
                              .deadline = context.deadline(),
                              .check = context.stop_check(),
                              .pinned = context.request().pinned.get(),
                              .workers = context.request().workers};
    const std::uint64_t commands = command_count_of(batch);
    stats_.store_commands += commands;
    if (stats_.calls != nullptr) [[unlikely]]
      call_ = stats_.calls->begin(commands);
    now_ = client.answer_now(batch, options);
    if (!now_) waiting_.emplace(Execute{client, batch, options});
  }

  [[nodiscard]] bool await_ready() const noexcept { return now_.has_value(); }
  template <class Promise>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) {
    return waiting_->await_suspend(parent);
  }
  base::Result<StoreReply> await_resume() {
    base::Result<StoreReply> reply = now_ ? *std::move(now_) : waiting_->await_resume();
    if (reply) stats_.store_round_trips += reply->round_trip_count;
    if (stats_.calls != nullptr) [[unlikely]]
      note_end(reply);
    return reply;
  }

 private:
  using Waiting =
      decltype(std::declval<loop::Task<base::Result<StoreReply>>>().operator co_await());
  // Makes in place what cannot be moved.
  struct Execute {
    StoreClient& client;
    CommandBatch& batch;
    const CallOptions& options;
    // NOLINTNEXTLINE(google-explicit-constructor)
    operator Waiting() { return client.execute(std::move(batch), options).operator co_await(); }
  };

  void note_end(const base::Result<StoreReply>& reply) {
    if (reply) return stats_.calls->end(call_, reply->round_trip_count);
    stats_.calls->fail(call_, reply.error().code());
  }

  tasks::TaskStats& stats_;
  std::size_t call_ = 0;  // its number in the log of calls, if there is one
  std::optional<base::Result<StoreReply>> now_;
  std::optional<Waiting> waiting_;
};

/// Keys made of rows. A row whose value is null has no key.
struct RowKeys {
  KeyList keys;
  rows::Array<rows::RowIndex> rows;  ///< for each key, its row in the batch
};

/// Makes the key of each row: the names in the pattern are columns of int or string.
[[nodiscard]] base::Result<RowKeys> make_row_keys(const rows::RowSet& rows,
                                                  const tasks::KeyPatternParam& pattern,
                                                  rows::RowScratch& scratch);

/// Values of one key of many rows, as texts of a reply.
struct ColumnTexts {
  std::span<const std::string_view> texts;
  std::size_t stride = 1;                ///< texts per row
  std::size_t offset = 0;                ///< of the one that is wanted
  std::span<const rows::RowIndex> rows;  ///< for each row of texts, its row in the batch
  std::size_t batch_rows = 0;
};

/// Rows whose text was not a value of the column's type.
struct ParseErrors {
  std::size_t count = 0;
  rows::Array<std::uint8_t> keep;  ///< by row of the batch, 0 for them; empty unless wanted
};

/// Prepares the count of row errors for a batch, as the node's `on_row_error` needs it.
[[nodiscard]] ParseErrors begin_errors(std::size_t batch_rows, const tasks::TaskContext& context);
/// Does what `on_row_error` says after `count` more errors; `message` describes them.
[[nodiscard]] base::Status report_errors(std::size_t count,
                                         const std::string& message,
                                         const tasks::TaskContext& context);
/// Gives the rows without those that `on_row_error` drops.
[[nodiscard]] base::Result<rows::RowSet> drop_failed(rows::RowSet rows,
                                                     const ParseErrors& errors,
                                                     const tasks::TaskContext& context);

/// Parses texts into a column of a batch. Rows without a text are null; those whose text does not
/// parse are null and counted.
[[nodiscard]] rows::ColumnRef parse_column(rows::ColumnType type,
                                           const ColumnTexts& texts,
                                           rows::RowScratch& scratch,
                                           ParseErrors& errors);

/// Adds the columns of `keys` to the rows, from a reply with one text per key for each row of
/// `key_rows`; follows `on_row_error`.
[[nodiscard]] base::Result<rows::RowSet> add_parsed_columns(
    const rows::RowSet& rows,
    std::span<const plan::FetchedKey> keys,
    const StoreReply& reply,
    std::span<const rows::RowIndex> key_rows,
    const tasks::TaskContext& context);

/// What to fetch for each row.
/// Lifetime: what it points to is borrowed until the task has ended.
struct ColumnFetch {
  tasks::StoreEndpoint endpoint;
  const tasks::KeyPatternParam* pattern = nullptr;  ///< key of a row
  StoreCommand command = StoreCommand::kMultiGet;   ///< one that gives a text per column
  std::span<const std::string> fields = {};         ///< for kHashGet: those of the columns
  std::span<const plan::FetchedKey> columns = {};
};

/// Fetches columns for rows, all in one batch; follows `on_row_error`. What would keep the loop for
/// long is done on a worker.
[[nodiscard]] loop::Task<base::Result<rows::RowSet>> fetch_columns(rows::RowSet rows,
                                                                   ColumnFetch what,
                                                                   tasks::TaskContext context);

}  // namespace millrace::stores
