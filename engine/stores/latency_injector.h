#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metric_binding.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "stores/store_client.h"

namespace millrace::stores {

/// What happens to the commands that a rule matches.
enum class Fate : std::uint8_t {
  kAnswer,   ///< the wrapped client's answer, after the delay
  kFail,     ///< kUnavailable, after the delay
  kTimeout,  ///< kTimeout, after the delay
  kHang,     ///< nothing, until the caller gives up
};

struct LatencyRule {
  std::optional<StoreCommand> command = {};  ///< any if unset
  std::string key_prefix = {};               ///< any if empty
  base::Duration delay{};
  Fate fate = Fate::kAnswer;
};

/// A client in front of another that is slow or broken where its rules say so; for tests and
/// demonstrations. The first rule that matches a key decides about that key. A batch takes as long
/// as its slowest key, and fails or hangs if one of its keys does. Time is that of the loop, so it
/// is virtual in tests. Threading: loop thread. Lifetime: borrows client and loop.
class LatencyInjector final : public StoreClient {
 public:
  LatencyInjector(StoreClient& inner, loop::Loop& loop, std::vector<LatencyRule> rules)
      : inner_(inner), loop_(loop), rules_(std::move(rules)) {}

  [[nodiscard]] loop::Task<base::Result<StoreReply>> execute(CommandBatch batch,
                                                             CallOptions options) override;
  /// Batches of one turn of the loop count as one round trip, as they would leave in one write.
  [[nodiscard]] StoreCounters counters() const override { return cells_.counters(); }
  void bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const override {
    inner_.bind_metrics(binding, endpoint);
  }

 private:
  [[nodiscard]] LatencyRule verdict(const CommandBatch& batch) const;
  void count(const CommandBatch& batch);

  StoreClient& inner_;
  loop::Loop& loop_;
  const std::vector<LatencyRule> rules_;
  StoreCells cells_;
  std::optional<std::uint64_t> last_turn_;
};

}  // namespace millrace::stores
