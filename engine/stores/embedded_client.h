#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metrics/metric_binding.h"
#include "base/result.h"
#include "base/spread_ref.h"
#include "loop/task.h"
#include "rows/row_scratch.h"
#include "stores/embedded_store.h"
#include "stores/store_client.h"
#include "tasks/scratch_pool.h"

namespace millrace::stores {

/// Answers batches from embedded data: inside the call, or on a worker if the answer is long.
/// Threading: loop thread. Lifetime: replies keep the data alive.
class EmbeddedClient final : public StoreClient {
 public:
  explicit EmbeddedClient(EmbeddedStoreRef store)
      : store_(base::with_own_count(std::move(store))) {}

  [[nodiscard]] loop::Task<base::Result<StoreReply>> execute(CommandBatch batch,
                                                             CallOptions options) override;
  [[nodiscard]] std::optional<base::Result<StoreReply>> answer_now(
      const CommandBatch& batch, const CallOptions& options) override;
  [[nodiscard]] StoreCounters counters() const override { return cells_.counters(); }
  void bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const override;
  /// Answers inside the call, however long it takes.
  [[nodiscard]] base::Result<StoreReply> answer(const CommandBatch& batch,
                                                const rows::StopCheck& check = {});

 private:
  [[nodiscard]] bool is_long(const CommandBatch& batch) const;
  void count(const CommandBatch& batch);

  // Each reply has a reference: counted for this loop, not for all that use the data.
  EmbeddedStoreRef store_;
  tasks::ScratchPool worker_scratches_;
  rows::RowScratch scratch_;
  std::vector<const EmbeddedStore::Entry*> entries_;  // of the batch under way
  StoreCells cells_;
};

}  // namespace millrace::stores
