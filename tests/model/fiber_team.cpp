#include "fiber_team.h"

#include <cstddef>
#include <memory>

#include "fiber.h"

namespace millrace::model {

FiberTeam::FiberTeam() {
  for (std::size_t member = 1; member < members_.size(); ++member) restart(member);
}

void FiberTeam::switch_to(std::size_t member) {
  Fiber& from = running_ == 0 ? outside_ : *members_[running_];
  running_ = member;
  from.switch_to(member == 0 ? outside_ : *members_[member]);
}

void FiberTeam::restart(std::size_t member) {
  members_[member] = std::make_unique<Fiber>([this, member] {
    while (true) job_(member);
  });
}

}  // namespace millrace::model
