#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "nats/library_link.h"
#include "nats/link.h"
#include "nats/request_box.h"

namespace millrace::nats {

/// A connection of a program that asks: a link that is connected, and a box for its requests.
/// Threading: any thread.
class Client final : private LinkObserver {
 public:
  /// Connects, or says why no server would have it. A connection that breaks later is made again.
  [[nodiscard]] static base::Result<std::unique_ptr<Client>> connect(LinkSettings settings);
  ~Client() override;

  [[nodiscard]] Link& link() { return *link_; }
  [[nodiscard]] RequestBox& box() { return *box_; }
  /// What the server has refused last, such as a subject without permission; empty: nothing.
  [[nodiscard]] std::string last_problem() const MR_EXCLUDES(mutex_);

 private:
  Client() = default;
  void on_problem(const std::string& problem) override MR_EXCLUDES(mutex_);

  mutable base::Mutex mutex_;
  std::string problem_ MR_GUARDED_BY(mutex_);

  std::unique_ptr<Link> link_;
  std::unique_ptr<RequestBox> box_;
};

}  // namespace millrace::nats
