#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "nats/link.h"
#include "nats/message.h"

namespace millrace::server {

/// Gets the requests of all groups.
/// Threading: called on threads of the library. Must not block.
class GroupRequests {
 public:
  virtual ~GroupRequests() = default;
  /// `has_left`: the process has left the group because it is full.
  virtual void on_request(const std::string& plan, bool has_left, nats::Message message) = 0;
};

/// The queue groups that a process is a member of: one subscription per plan (NAT1).
/// Threading: one thread. Lifetime: borrows link and receiver of the requests; a link must outlive
/// what was joined on it, so `drop_all` comes before its end.
class GroupMembers {
 public:
  struct Names {
    std::string group;
    std::string prefix;  ///< of subjects; a dot and the plan's name follow
  };
  GroupMembers(GroupRequests& requests, Names names);
  ~GroupMembers();

  /// Joins and leaves so that the process is a member for these plans and no others. `is_full`: it
  /// leaves because it is full, and what still comes is to be answered `busy`.
  [[nodiscard]] std::vector<base::Error> settle(nats::Link& link,
                                                const std::vector<std::string>& plans,
                                                bool is_full);
  /// Ends all subscriptions at once. No request comes after this.
  void drop_all();

  [[nodiscard]] std::size_t joined_count() const { return members_.size(); }
  /// Whether messages of groups that were left may still come.
  [[nodiscard]] bool is_leaving() const { return !leaving_.empty(); }

  /// The subject of a plan; it need not be a valid one.
  [[nodiscard]] std::string subject_of(const std::string& plan) const {
    return names_.prefix + "." + plan;
  }

 private:
  struct Member;

  GroupRequests& requests_;
  const Names names_;
  std::map<std::string, std::unique_ptr<Member>> members_;  // by plan
  std::vector<std::unique_ptr<Member>> leaving_;
};

}  // namespace millrace::server
