#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "fiber.h"
#include "memory.h"

namespace millrace::model {

/// The fibers that act as the threads of a scenario, kept from one execution to the next. Member 0
/// is the caller's own stack.
/// Threading: not shared.
class FiberTeam {
 public:
  FiberTeam();

  /// From now on, a member that is switched to and has nothing to resume calls `job` with its own
  /// number. `job` ends by switching away. If it is resumed after that, it must return without
  /// touching anything.
  void set_job(std::function<void(std::size_t)> job) { job_ = std::move(job); }
  void switch_to(std::size_t member);
  /// Forgets what the member was doing. Nothing on its stack is destroyed.
  void restart(std::size_t member);

 private:
  Fiber outside_;
  std::array<std::unique_ptr<Fiber>, kThreadCountMax + 1> members_;
  std::size_t running_ = 0;
  std::function<void(std::size_t)> job_;
};

}  // namespace millrace::model
