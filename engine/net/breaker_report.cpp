#include "net/breaker_report.h"

#include <chrono>

#include "base/clock.h"
#include "base/log/log.h"
#include "base/log/log_record.h"

namespace millrace::net {

BreakerReport::~BreakerReport() {
  if (is_open_) open_count_.add(-1);
}

void BreakerReport::on_breaker_opened(base::Duration open_for) {
  is_open_ = true;
  open_count_.add(1);
  if (log_ == nullptr) return;
  log_->warning("breaker_open",
                "The endpoint keeps failing: calls are refused until it answers again",
                {{"endpoint", peer_.endpoint},
                 {"address", peer_.address},
                 {"probe_after_ms", std::chrono::duration<double, std::milli>(open_for).count()}});
}

void BreakerReport::on_breaker_closed() {
  is_open_ = false;
  open_count_.add(-1);
  if (log_ == nullptr) return;
  log_->write_limited(base::LogLevel::kInfo,
                      "breaker_closed",
                      "The endpoint answers again: calls are let through",
                      {{"endpoint", peer_.endpoint}, {"address", peer_.address}});
}

}  // namespace millrace::net
