#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "nats/link.h"
#include "server/nats/nats_exchange.h"
#include "server/nats/nats_tally.h"
#include "server/nats/service_info.h"

namespace millrace::server {

/// Answers `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS` (NAT8).
/// Threading: `set_plans` on any thread; the rest on one. Lifetime: borrows the tally, and the link
/// between `join` and `leave`.
class ServiceDesk final : private nats::MessageSink {
 public:
  struct Parts {
    const NatsTally* tally = nullptr;
    std::string version;
    std::string group;
    std::string prefix;
    std::string id;                            ///< of this process
    std::function<void(NatsReply)> send = {};  ///< must not block
  };
  explicit ServiceDesk(Parts parts);
  ~ServiceDesk() override;

  void set_plans(std::vector<std::string> plans) MR_EXCLUDES(mutex_);
  /// Begins to answer; does nothing if it does already.
  void join(nats::Link& link);
  void leave() { subscriptions_.clear(); }

 private:
  void on_message(nats::Message message) override MR_EXCLUDES(mutex_);

  const Parts parts_;
  const std::string started_;
  base::Mutex mutex_;
  std::vector<std::string> plans_ MR_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<nats::Subscription>> subscriptions_;
};

}  // namespace millrace::server
