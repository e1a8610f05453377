#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/owned_timer.h"
#include "loop/stop.h"
#include "loop/task_promise.h"
#include "rows/row_scratch.h"
#include "stores/redis/fetch.h"
#include "stores/store_client.h"

namespace millrace::stores {

class FetchWait;

/// The deadlines of all who wait, with one timer: most waits end long before, so nothing is armed
/// or disarmed for them.
/// Threading: loop thread. Lifetime: borrows the loop and the waits.
class DeadlineList {
 public:
  explicit DeadlineList(loop::Loop& loop) : loop_(loop), timer_(loop, *this) {}
  ~DeadlineList();
  DeadlineList(const DeadlineList&) = delete;
  DeadlineList& operator=(const DeadlineList&) = delete;

  void add(FetchWait& wait);
  void remove(FetchWait& wait);

 private:
  void on_timer();
  void arm(base::TimePoint when);

  loop::Loop& loop_;
  std::vector<FetchWait*> waits_;
  std::optional<base::TimePoint> armed_at_;
  loop::OwnedTimer<DeadlineList, &DeadlineList::on_timer> timer_;
};

/// Waits for the fetches that one batch needs: its own, and those of others that bring some of its
/// keys. Ends early at the deadline and when a stop is requested.
///
/// Three events can end it: the last fetch and the deadline, both on the loop thread, and a stop
/// request on any thread.
/// Threading: loop thread, but for the stop request.
/// Lifetime: in the frame of the waiting coroutine; borrows the list.
class [[nodiscard]] FetchWait final : private FetchWaiter,
                                      private loop::StopCallback,
                                      private loop::OneShotWait {
 public:
  /// A key of the batch: which part brings it, and where in that.
  struct Source {
    std::uint32_t part = 0;
    std::uint32_t index = 0;
  };
  /// A fetch, or a reply that is there already.
  struct Part {
    std::shared_ptr<Fetch> fetch;
    std::shared_ptr<const StoreReply> cached;

    [[nodiscard]] const StoreReply& reply() const { return cached ? *cached : fetch->reply(); }
  };

  FetchWait(DeadlineList& deadlines, CallOptions options)
      : StopCallback(&stopped), deadlines_(deadlines), options_(options) {}
  ~FetchWait() override;

  /// Adds a part and gives its number.
  std::uint32_t add_part(Part part);
  /// The number of the part that is this fetch, which is added if need be.
  std::uint32_t part_of(Fetch& fetch);
  /// Where keys come from; empty if all come from the first part, in order.
  std::vector<Source> sources;

  [[nodiscard]] bool await_ready() const noexcept { return pending_ == 0; }
  template <loop::TaskLike Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
    return suspend(task.promise());
  }
  /// Gives ok when all parts are there, kTimeout, or kCancelled.
  [[nodiscard]] base::Status await_resume();

  /// The reply to the batch, or the error of one of its keys. After ok.
  [[nodiscard]] base::Result<StoreReply> assemble(rows::RowScratch& scratch);

 private:
  friend class DeadlineList;

  void on_fetched() override;
  static void stopped(StopCallback& callback);
  [[nodiscard]] bool suspend(loop::TaskPromise& task);
  void leave();
  [[nodiscard]] base::Status check_parts() const;
  [[nodiscard]] base::Result<StoreReply> copy_all(rows::RowScratch& scratch) const;

  DeadlineList& deadlines_;
  const CallOptions options_;
  std::vector<Part> parts_;
  std::size_t pending_ = 0;
  std::size_t list_index_ = SIZE_MAX;  // in the list of deadlines
};

}  // namespace millrace::stores
