#include "server/generations/reload_thread.h"

#include <utility>

namespace millrace::server {

ReloadThread::ReloadThread(PlanReloader& reloader, std::unique_ptr<FolderWatch> watch)
    : reloader_(reloader), schedule_({}, base::steady_clock().now()), watch_(std::move(watch)) {}

void ReloadThread::start() {
  thread_ = std::thread([this] { run(); });
}

void ReloadThread::demand_reload(Done done) { submit({.work = {}, .done = std::move(done)}); }

void ReloadThread::post(Work work, Done done) {
  submit({.work = std::move(work), .done = std::move(done)});
}

void ReloadThread::submit(Order order) {
  {
    const base::MutexLock lock(mutex_);
    if (!is_ending_) {
      orders_.push_back(std::move(order));
      watch_->wake();
      return;
    }
  }
  refuse(order);
}

void ReloadThread::stop() {
  {
    const base::MutexLock lock(mutex_);
    if (std::exchange(is_ending_, true)) return;
  }
  watch_->wake();
  if (thread_.joinable()) {
    thread_.join();
  } else {
    (void)take_orders(base::steady_clock().now());
  }
}

void ReloadThread::refuse(const Order& order) {
  if (order.done)
    order.done(std::unexpected(RequestProblem{
        .code = "draining", .detail = "The server is about to end; ask another one"}));
}

bool ReloadThread::take_orders(base::TimePoint now) {
  std::vector<Order> taken;
  bool is_ending = false;
  {
    const base::MutexLock lock(mutex_);
    taken.swap(orders_);
    is_ending = is_ending_;
  }
  for (Order& order : taken) {
    if (is_ending) {
      refuse(order);
    } else if (!order.work) {
      schedule_.demand(now);
      waiting_.push_back(std::move(order));
    } else {
      Reply reply = order.work(reloader_);
      if (order.done) order.done(std::move(reply));
    }
  }
  if (!is_ending) return true;
  for (const Order& order : std::exchange(waiting_, {})) refuse(order);
  return false;
}

void ReloadThread::reload() {
  const std::vector<Order> served = std::exchange(waiting_, {});
  const Reply reply = reloader_.reload_on_demand();
  // Folders may have come, or may be others of the same name.
  watch_->set_folders(reloader_.folders());
  for (const Order& order : served) {
    if (order.done) order.done(reply);
  }
}

void ReloadThread::run() {
  watch_->set_folders(reloader_.folders());
  // What changed between the first reading and the watch.
  if (reloader_.has_changed_file()) schedule_.demand(base::steady_clock().now());
  while (true) {
    const FolderWatch::Event event = watch_->wait(schedule_.next_time());
    const base::TimePoint now = base::steady_clock().now();
    if (!take_orders(now)) return;
    const bool is_scan = schedule_.try_scan(now);
    // Other files may be in the same folder, our own log among them.
    if ((event.is_changed || is_scan) && reloader_.has_changed_file()) schedule_.demand(now);
    if (is_scan && reloader_.wants_retry()) schedule_.demand(now);
    if (schedule_.try_begin(now)) reload();
  }
}

}  // namespace millrace::server
