#include "server/nats/nats_front.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "nats/library_link.h"
#include "nats/subject.h"

namespace millrace::server {
namespace {

constexpr base::Duration kFlushLimit = std::chrono::seconds(2);
// Replies that leave in one write. More of them would only make the first one wait.
constexpr std::size_t kSentTogether = 64;

}  // namespace

base::Status NatsFront::start(Parts parts, const NatsSettings& settings) {
  if (!settings.is_used()) return {};
  parts_ = std::move(parts);
  settings_ = settings;
  if (!parts_.open) {
    parts_.open = [with = settings_.link](nats::LinkObserver& observer) {
      return nats::open_link(with, observer);
    };
  }
  tally_ = std::make_unique<NatsTally>(*parts_.metrics);
  members_ = std::make_unique<GroupMembers>(
      static_cast<GroupRequests&>(*this),
      GroupMembers::Names{.group = settings_.group, .prefix = settings_.prefix});
  auto opened = parts_.open(*this);
  if (!opened) {
    tally_.reset();
    return std::unexpected(opened.error());
  }
  link_ = *std::move(opened);
  service_ = std::make_unique<ServiceDesk>(
      ServiceDesk::Parts{.tally = tally_.get(),
                         .version = parts_.version,
                         .group = settings_.group,
                         .prefix = settings_.prefix,
                         .id = link_->make_unique_name(),
                         .send = [this](NatsReply reply) { send(std::move(reply)); }});
  tell_readiness(parts_.clock->now());
  thread_ = std::thread([this] { run(); });
  return {};
}

template <class Change>
void NatsFront::order(Change change) {
  const base::MutexLock lock(mutex_);
  change(orders_);
  has_news_ = true;
  is_obeyed_ = false;
  changed_.notify_all();
}

void NatsFront::set_plans(const std::vector<std::string_view>& names) {
  if (!thread_.joinable()) return;
  std::vector<std::string> plans;
  std::size_t unaddressed_count = 0;
  for (const std::string_view name : names) {
    if (nats::is_subject(name)) {
      plans.emplace_back(name);
      continue;
    }
    ++unaddressed_count;
    if (parts_.log != nullptr) {
      parts_.log->error("plan_not_addressable",
                        "A plan cannot be asked over NATS, because its name is no subject: use "
                        "letters, digits, '-', '_' and dots between them",
                        {{"plan", name}});
    }
  }
  tally_->set_unaddressed(unaddressed_count);
  service_->set_plans(plans);
  order([&](Orders& orders) { orders.plans = std::move(plans); });
}

void NatsFront::begin_drain() {
  if (thread_.joinable()) order([](Orders& orders) { orders.drains = true; });
}

bool NatsFront::is_idle() {
  if (!thread_.joinable()) return true;
  const base::MutexLock lock(mutex_);
  return is_obeyed_ && open_count_.load(std::memory_order_relaxed) == 0 && replies_.empty();
}

void NatsFront::stop_receiving() {
  if (!thread_.joinable()) return;
  order([](Orders& orders) { orders.is_deaf = true; });
  const base::MutexLock lock(mutex_);
  while (!is_obeyed_) changed_.wait(mutex_);
}

void NatsFront::stop() {
  if (!thread_.joinable()) return;
  stop_receiving();
  order([](Orders& orders) { orders.ends = true; });
  thread_.join();
  // The library may still be calling until the link is gone.
  close_link();
  service_.reset();
  tally_.reset();
}

void NatsFront::on_request(const std::string& plan, bool has_left, nats::Message message) {
  tally_->count_received(plan);
  if (message.reply.empty()) return tally_->count_no_reply();
  open_count_.fetch_add(1, std::memory_order_relaxed);
  const bool is_full =
      !has_left && waiting_count_.fetch_add(1, std::memory_order_relaxed) >= kHandOffMax;
  if (is_full) {
    waiting_count_.fetch_sub(1, std::memory_order_relaxed);
    was_full_.store(true, std::memory_order_relaxed);
  }
  if (has_left || is_full) {
    tally_->count_busy(has_left);
    return send(make_nats_problem(
        message,
        plan,
        {.code = "busy", .detail = "Too many requests are under way; ask again, or another one"}));
  }
  const std::size_t turn = next_door_.fetch_add(1, std::memory_order_relaxed);
  const Door& door = parts_.doors[turn % parts_.doors.size()];
  auto exchange = std::make_unique<NatsExchange>(
      *door.front, static_cast<NatsOutbox&>(*this), std::move(message), plan, parts_.clock->now());
  // It owns itself from here on.
  exchange.release()->post_to(*door.loop);
}

void NatsFront::send(NatsReply reply) {
  {
    const base::MutexLock lock(mutex_);
    if (replies_.size() < kRepliesMax) {
      const bool is_first = replies_.empty();
      replies_.push_back(std::move(reply));
      if (is_first) changed_.notify_all();
      return;
    }
  }
  if (reply.plan.empty()) return;
  tally_->count_undeliverable();
  open_count_.fetch_sub(1, std::memory_order_relaxed);
}

void NatsFront::on_state(nats::LinkState state) {
  const bool is_connected = state == nats::LinkState::kConnected;
  if (state == nats::LinkState::kDown) tally_->count_disconnect();
  bool is_wanted = false;
  order([&](const Orders& orders) { is_wanted = orders.ends; });
  // The end of the process is no news.
  if (parts_.log != nullptr && !is_wanted) {
    if (is_connected) {
      parts_.log->info("nats_connected", "There is a connection to NATS");
    } else {
      parts_.log->warning("nats_down", "There is no connection to NATS; it is tried again");
    }
  }
}

void NatsFront::on_overflow() {
  tally_->count_overflow();
  if (parts_.log != nullptr)
    parts_.log->warning("nats_overflow", "Requests over NATS were dropped, because too many wait");
  order([&](Orders& orders) { orders.overflowed = parts_.clock->now(); });
}

void NatsFront::on_problem(const std::string& problem) {
  if (parts_.log != nullptr)
    parts_.log->warning("nats_problem", "NATS has refused something", {{"err", problem}});
}

void NatsFront::run() {
  while (wait_for_work()) {
    publish_all();
    const base::TimePoint now = parts_.clock->now();
    // Requests were answered: the load is to be looked at, if not now then soon.
    has_skipped_look_ = now < next_look_;
    if (!has_skipped_look_) keep_house(now);
  }
  if (link_ != nullptr) (void)link_->flush(kFlushLimit);
}

bool NatsFront::wait_for_work() {
  const base::MutexLock lock(mutex_);
  // What was taken at the last call is done, but for groups that are still being left.
  const bool has_left = !now_.drains || !members_->is_leaving();
  if (!has_news_ && has_left && !is_obeyed_) {
    is_obeyed_ = true;
    changed_.notify_all();
  }
  if (now_.ends && replies_.empty()) return false;
  if (replies_.empty() && !has_news_) {
    if (is_restless()) {
      changed_.wait_for(mutex_, GroupGate::kLookPeriod);
    } else {
      changed_.wait(mutex_);
    }
  }
  sending_.swap(replies_);
  if (std::exchange(has_news_, false)) {
    now_ = orders_;
    next_look_ = {};
  }
  return true;
}

void NatsFront::publish_all() {
  std::size_t queued_count = 0;
  for (const NatsReply& reply : sending_) {
    const bool is_sent = link_ != nullptr && link_->queue(reply.message).has_value();
    if (++queued_count % kSentTogether == 0 && link_ != nullptr) link_->send();
    if (reply.plan.empty()) continue;
    if (is_sent) {
      tally_->count_replied(reply.plan, reply.status);
    } else {
      tally_->count_undeliverable();
    }
    open_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (link_ != nullptr) link_->send();
  sending_.clear();
}

void NatsFront::keep_house(base::TimePoint now) {
  next_look_ = now + GroupGate::kLookPeriod;
  keep_link(now);
  look_at_load(now);
  tally_->set_connected(link_ != nullptr && link_->state() == nats::LinkState::kConnected);
  tell_readiness(now);
  if (link_ == nullptr) return;
  reply_bytes_max_.store(link_->payload_bytes_max(), std::memory_order_relaxed);
  if (now_.is_deaf) {
    members_->drop_all();
    service_->leave();
    return;
  }
  was_warm_ = parts_.readiness->is_warm();
  const bool is_member = gate_.is_joined() && !now_.drains && was_warm_;
  const auto problems = members_->settle(
      *link_, is_member ? now_.plans : std::vector<std::string>(), !gate_.is_joined());
  // A link that was given up meanwhile has said why.
  if (link_->state() != nats::LinkState::kClosed) {
    for (const base::Error& problem : problems) on_problem(problem.message());
  }
  tally_->set_joined(members_->joined_count());
  if (is_member) service_->join(*link_);
  if (now_.drains) service_->leave();
}

void NatsFront::keep_link(base::TimePoint now) {
  if (link_ != nullptr && link_->state() == nats::LinkState::kClosed) {
    close_link();
    reopen_at_ = now + kReopenPause;
  }
  if (link_ != nullptr || now < reopen_at_ || now_.is_deaf) return;
  auto opened = parts_.open(*this);
  if (opened) {
    link_ = *std::move(opened);
  } else {
    on_problem(opened.error().message());
    reopen_at_ = now + kReopenPause;
  }
}

void NatsFront::close_link() {
  members_->drop_all();
  service_->leave();
  link_.reset();
}

void NatsFront::look_at_load(base::TimePoint now) {
  const runtime::AdmissionStats stats = parts_.admission->stats();
  const std::uint64_t refused = stats.refused - stats.refused_deadline;
  // What the class of most requests may use of the limit.
  const auto limit = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(stats.limit) * parts_.normal_share));
  const bool was_joined = gate_.is_joined();
  const bool was_full = was_full_.exchange(false, std::memory_order_relaxed);
  const bool is_joined = gate_.look(now,
                                    {.in_flight = stats.run_count,
                                     .limit = limit,
                                     .was_refusing = refused != refused_before_ || was_full});
  refused_before_ = refused;
  if (is_joined == was_joined) return;
  tally_->count_change(is_joined);
  if (parts_.log == nullptr) return;
  if (is_joined) {
    parts_.log->info("nats_joined", "The process takes requests over NATS again");
  } else {
    parts_.log->write_limited(base::LogLevel::kInfo,
                              "nats_left",
                              "The process is full, and leaves requests over NATS to others",
                              {{"in_flight", stats.run_count}, {"limit", stats.limit}});
  }
}

void NatsFront::tell_readiness(base::TimePoint now) {
  const bool is_connected = link_ != nullptr && link_->state() == nats::LinkState::kConnected;
  const bool is_dropping = now_.overflowed && now - *now_.overflowed < kOverflowShadow;
  if (!is_dropping) now_.overflowed.reset();
  if (is_dropping) {
    parts_.readiness->set_transport("requests were dropped, because too many wait", true);
  } else if (!is_connected) {
    parts_.readiness->set_transport("there is no connection", settings_.is_required);
  } else {
    parts_.readiness->set_transport({}, false);
  }
}

bool NatsFront::is_restless() const {
  return has_skipped_look_ || link_ == nullptr || gate_.is_restless() || members_->is_leaving() ||
         !was_warm_ || now_.overflowed.has_value();
}

}  // namespace millrace::server
