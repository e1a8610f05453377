#include "net/http/http_server.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "net/http/http_handler.h"
#include "net/http/http_server_connection.h"
#include "net/http/http_server_context.h"
#include "net/http/http_server_settings.h"
#include "net/http/http_wait_list.h"
#include "net/http/planted_bug.h"
#include "net/listener.h"

namespace millrace::net {
namespace {

constexpr std::int64_t kNoneIdle = std::numeric_limits<std::int64_t>::max();
/// A client that takes no bytes is looked at so many times per timeout.
constexpr int kWriteChecks = 4;

}  // namespace

HttpServer::HttpServer(const Parts& parts, const HttpServerSettings& settings)
    : HttpServerContext(parts.loop, settings, parts.wall_clock, parts.gzip_workers),
      longest_idle_(kNoneIdle),
      timer_(parts.loop, *this),
      job_(parts.loop, *this) {}

HttpServer::~HttpServer() {
  close_all();
  retired_.clear();
}

void HttpServer::take(std::unique_ptr<Incoming> incoming, HttpHandler& handler) {
  HttpServerContext& context = *this;
  auto connection = std::make_unique<HttpServerConnection>(context, handler);
  HttpServerConnection& taken = *connection;
  taken.server_index = connections_.size();
  connections_.push_back(std::move(connection));
  cells.accepted.add();
  cells.connections.add(1);
  taken.start(*incoming);
}

std::optional<base::TimePoint> HttpServer::find_longest_idle() const {
  const std::int64_t start = longest_idle_.load(std::memory_order_relaxed);
  if (start == kNoneIdle) return std::nullopt;
  return base::TimePoint(base::Duration(start));
}

bool HttpServer::try_close_longest_idle() {
  if (list(HttpWait::kIdle).front() == nullptr) return false;
  end_first_wait(HttpWait::kIdle);
  return true;
}

void HttpServer::close_idle() {
  announce_close();
  closes_idle = true;
  if (MR_PLANTED_IN_SERVER(kBusyIsIdle)) close_all();
  while (try_close_longest_idle()) {
  }
  // Their first request may be on its way.
  while (HttpWaitLink* const link = list(HttpWait::kFresh).front()) {
    wait(*link, HttpWait::kHead, now());
  }
}

void HttpServer::close_all() {
  while (!connections_.empty()) connections_.back()->close();
}

// --- waiting --------------------------------------------------------------------------------

base::Duration HttpServer::timeout_of(HttpWait wait) const {
  switch (wait) {
    case HttpWait::kIdle:
      return settings.idle_timeout;
    case HttpWait::kFresh:
    case HttpWait::kHead:
      return settings.head_timeout;
    case HttpWait::kBody:
      return settings.body_timeout;
    case HttpWait::kLinger:
      return kHttpLingerTime;
    case HttpWait::kWrite:
      break;
  }
  return settings.write_timeout / kWriteChecks;
}

void HttpServer::wait(HttpWaitLink& link, HttpWait wait, base::TimePoint start) {
  HttpWaitList& waiters = list(wait);
  const base::TimePoint deadline = start + timeout_of(wait);
  if (link.list() == &waiters && link.deadline() == deadline) return;
  stop_waiting(link);
  waiters.push_back(link, deadline);
  if (wait == HttpWait::kIdle) {
    publish_longest_idle();
    if (watcher_ != nullptr) watcher_->on_connection_idle();
  }
  if (!armed_at_ || deadline < *armed_at_) arm(deadline);
  if (wait == HttpWait::kHead || wait == HttpWait::kBody) limit_reading();
}

void HttpServer::stop_waiting(HttpWaitLink& link) {
  if (link.list() == nullptr) return;
  const bool was_idle = link.list() == &list(HttpWait::kIdle);
  link.list()->remove(link);
  if (was_idle) publish_longest_idle();
}

void HttpServer::publish_longest_idle() {
  const HttpWaitLink* const first = list(HttpWait::kIdle).front();
  const std::int64_t start =
      first == nullptr ? kNoneIdle
                       : (first->deadline() - settings.idle_timeout).time_since_epoch().count();
  longest_idle_.store(start, std::memory_order_relaxed);
}

void HttpServer::limit_reading() {
  HttpWaitList& heads = list(HttpWait::kHead);
  HttpWaitList& bodies = list(HttpWait::kBody);
  if (heads.size() + bodies.size() <= settings.reading_max) return;
  // Only posted: the connection that has just begun to wait is in the middle of something.
  job_.post();
}

void HttpServer::end_first_wait(HttpWait wait) {
  HttpWaitLink& link = *list(wait).front();
  stop_waiting(link);
  link.owner().on_wait_over(wait);
}

void HttpServer::arm(base::TimePoint when) {
  armed_at_ = when;
  timer_.start_at(when);
}

void HttpServer::on_timer() {
  armed_at_.reset();
  const base::TimePoint time = now();
  std::optional<base::TimePoint> next;
  for (std::size_t i = 0; i < kHttpWaitCount; ++i) {
    while (lists_[i].front() != nullptr && lists_[i].front()->deadline() <= time) {
      end_first_wait(static_cast<HttpWait>(i));
    }
  }
  for (const HttpWaitList& waiters : lists_) {
    if (waiters.front() == nullptr) continue;
    const base::TimePoint deadline = waiters.front()->deadline();
    if (!next || deadline < *next) next = deadline;
  }
  if (next) arm(*next);
}

// --- later ----------------------------------------------------------------------------------

void HttpServer::schedule(HttpServerConnection& connection) {
  if (std::exchange(connection.is_scheduled, true)) return;
  scheduled_.push_back(&connection);
  job_.post();
}

void HttpServer::retire(HttpServerConnection& connection) {
  const std::size_t index = connection.server_index;
  if (std::exchange(connection.is_scheduled, false)) std::erase(scheduled_, &connection);
  std::ranges::replace(resumed_, &connection, nullptr);
  retired_.push_back(std::move(connections_[index]));
  if (index + 1 < connections_.size()) {
    connections_[index] = std::move(connections_.back());
    connections_[index]->server_index = index;
  }
  connections_.pop_back();
  cells.connections.add(-1);
  job_.post();
  if (watcher_ != nullptr) watcher_->on_connection_closed();
}

void HttpServer::resume_scheduled() {
  std::swap(scheduled_, resumed_);
  std::size_t count = 0;
  for (; count < resumed_.size(); ++count) {
    const base::TimePoint time = now();
    begin_work(time);
    if (count > 0 && is_turn_spent(time)) break;
    if (resumed_[count] == nullptr) continue;
    resumed_[count]->is_scheduled = false;
    resumed_[count]->resume();
  }
  // Those that had no turn go before those that wait again.
  scheduled_.insert(
      scheduled_.begin(), resumed_.begin() + static_cast<std::ptrdiff_t>(count), resumed_.end());
  std::erase(scheduled_, nullptr);
  resumed_.clear();
  if (!scheduled_.empty()) job_.post();
}

void HttpServer::on_job() {
  retired_.clear();
  resume_scheduled();
  while (list(HttpWait::kHead).size() + list(HttpWait::kBody).size() > settings.reading_max) {
    const HttpWaitLink* const head = list(HttpWait::kHead).front();
    const HttpWaitLink* const body = list(HttpWait::kBody).front();
    const bool head_is_older =
        body == nullptr || (head != nullptr && head->deadline() - settings.head_timeout <=
                                                   body->deadline() - settings.body_timeout);
    end_first_wait(head_is_older ? HttpWait::kHead : HttpWait::kBody);
  }
}

}  // namespace millrace::net
