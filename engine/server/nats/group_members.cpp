#include "server/nats/group_members.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace millrace::server {

/// One plan's membership.
struct GroupMembers::Member final : nats::MessageSink {
  Member(GroupRequests& to, std::string of_plan) : requests(to), plan(std::move(of_plan)) {}
  void on_message(nats::Message message) override {
    requests.on_request(plan, has_left.load(std::memory_order_relaxed), std::move(message));
  }

  GroupRequests& requests;
  const std::string plan;
  std::atomic<bool> has_left{false};                 // publishes nothing
  std::unique_ptr<nats::Subscription> subscription;  // ends before what its sink uses
};

GroupMembers::GroupMembers(GroupRequests& requests, Names names)
    : requests_(requests), names_(std::move(names)) {}

GroupMembers::~GroupMembers() = default;

std::vector<base::Error> GroupMembers::settle(nats::Link& link,
                                              const std::vector<std::string>& plans,
                                              bool is_full) {
  std::vector<base::Error> problems;
  for (auto member = members_.begin(); member != members_.end();) {
    if (std::ranges::find(plans, member->first) != plans.end()) {
      ++member;
      continue;
    }
    member->second->has_left.store(is_full, std::memory_order_relaxed);
    // Without a connection nothing is on its way, and no server would confirm it.
    if (link.state() == nats::LinkState::kConnected) {
      member->second->subscription->leave();
      leaving_.push_back(std::move(member->second));
    }
    member = members_.erase(member);
  }
  std::erase_if(leaving_, [](const auto& member) { return member->subscription->has_ended(); });
  for (const std::string& plan : plans) {
    if (members_.contains(plan)) continue;
    auto member = std::make_unique<Member>(requests_, plan);
    auto joined = link.subscribe(subject_of(plan), names_.group, *member);
    if (!joined) {
      problems.push_back(joined.error());
      continue;
    }
    member->subscription = *std::move(joined);
    members_.emplace(plan, std::move(member));
  }
  return problems;
}

void GroupMembers::drop_all() {
  members_.clear();
  leaving_.clear();
}

}  // namespace millrace::server
