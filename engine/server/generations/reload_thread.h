#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "server/generations/folder_watch.h"
#include "server/generations/plan_reloader.h"
#include "server/generations/reload_schedule.h"

namespace millrace::server {

/// Watches the files, and does on a thread of its own what changes plans, one thing after another.
/// Threading: any thread; made and destroyed by one thread.
/// Lifetime: borrows the reloader.
class ReloadThread {
 public:
  using Reply = PlanReloader::Reply;
  /// Called on the thread.
  using Work = std::function<Reply(PlanReloader&)>;
  using Done = std::function<void(Reply)>;

  /// Takes orders, and does them once it is started.
  ReloadThread(PlanReloader& reloader, std::unique_ptr<FolderWatch> watch);
  ~ReloadThread() { stop(); }
  ReloadThread(const ReloadThread&) = delete;
  ReloadThread& operator=(const ReloadThread&) = delete;

  void start();
  /// Demands a reload. `done`, if there is one, gets what the first reload that begins after this
  /// call has made.
  void demand_reload(Done done = {}) MR_EXCLUDES(mutex_);
  /// Does something else, without a quiet time.
  void post(Work work, Done done = {}) MR_EXCLUDES(mutex_);
  /// Ends the thread after what it does now. Whoever still waits gets `draining`, now and later.
  void stop() MR_EXCLUDES(mutex_);

 private:
  struct Order {
    Work work;  // empty: a reload
    Done done;
  };

  void submit(Order order) MR_EXCLUDES(mutex_);
  void run() MR_EXCLUDES(mutex_);
  /// Does what was posted. False: the thread is to end.
  [[nodiscard]] bool take_orders(base::TimePoint now) MR_EXCLUDES(mutex_);
  void reload();
  static void refuse(const Order& order);

  // The thread's.
  PlanReloader& reloader_;
  ReloadSchedule schedule_;
  std::vector<Order> waiting_;  // for the next reload

  const std::unique_ptr<FolderWatch> watch_;
  base::Mutex mutex_;
  std::vector<Order> orders_ MR_GUARDED_BY(mutex_);
  bool is_ending_ MR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace millrace::server
