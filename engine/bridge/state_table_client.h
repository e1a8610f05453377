#pragma once

#include <optional>
#include <string_view>

#include "base/metrics/metric_binding.h"
#include "base/result.h"
#include "loop/task.h"
#include "rows/row_scratch.h"
#include "stores/store_client.h"
#include "tasks/scratch_pool.h"

namespace millrace::bridge {

/// Answers batches from the state tables that the request has pinned: inside the call, or on a
/// worker if the answer may be long. The key `TABLE:KEY` is the entry KEY of the table. An object
/// is a hash, or a sorted set if its values are numbers; an array is a list or a set; anything else
/// but null is a string.
/// Threading: loop thread, but for `counters`.
class StateTableClient final : public stores::StoreClient {
 public:
  [[nodiscard]] loop::Task<base::Result<stores::StoreReply>> execute(
      stores::CommandBatch batch, stores::CallOptions options) override;
  [[nodiscard]] std::optional<base::Result<stores::StoreReply>> answer_now(
      const stores::CommandBatch& batch, const stores::CallOptions& options) override;
  [[nodiscard]] stores::StoreCounters counters() const override { return cells_.counters(); }
  void bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const override;

 private:
  void count(const stores::CommandBatch& batch);

  tasks::ScratchPool worker_scratches_;
  rows::RowScratch scratch_;
  stores::StoreCells cells_;
};

}  // namespace millrace::bridge
