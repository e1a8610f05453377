#pragma once

#include <string>
#include <utility>

#include "base/clock.h"
#include "base/log/log.h"
#include "base/metrics/metric_cell.h"
#include "net/breaker.h"

namespace millrace::net {

/// Who a breaker keeps calls away from, for log lines.
struct BreakerPeer {
  std::string endpoint;  ///< name in the registry; empty if it has none
  std::string address;
};

/// Tells operators of a breaker: a log line when it opens and when it closes, and a gauge of the
/// breakers that are open.
/// Threading: that of the breaker, which is also the writer of the gauge.
/// Lifetime: borrows logger and gauge.
class BreakerReport final : public BreakerListener {
 public:
  /// `log` may be null: then only the gauge is kept.
  BreakerReport(base::Logger* log, base::GaugeCell& open_count, BreakerPeer peer)
      : log_(log), open_count_(open_count), peer_(std::move(peer)) {}
  /// A breaker that goes is not open any more.
  ~BreakerReport() override;
  BreakerReport(const BreakerReport&) = delete;
  BreakerReport& operator=(const BreakerReport&) = delete;

  void on_breaker_opened(base::Duration open_for) override;
  void on_breaker_closed() override;

 private:
  base::Logger* const log_;
  base::GaugeCell& open_count_;
  const BreakerPeer peer_;
  bool is_open_ = false;
};

}  // namespace millrace::net
