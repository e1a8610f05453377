#include "choice_tree.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace millrace::model {

std::size_t ChoiceTree::choose(std::size_t option_count, std::uint64_t state) {
  if (option_count == 1) return 0;
  if (depth_ < path_.size()) {
    // Exploring works by repetition, so the program must make the same choices when it is repeated.
    MR_CHECK(path_[depth_].option_count == option_count, depth_, option_count);
    return path_[depth_++].taken;
  }
  if (!branching_) return 0;
  if (!visited_.insert(state).second && !revisit_states_) {
    branching_ = false;
    return 0;
  }
  path_.push_back({.taken = 0, .option_count = option_count});
  ++depth_;
  return 0;
}

bool ChoiceTree::advance() {
  while (!path_.empty() && path_.back().taken + 1 == path_.back().option_count) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  depth_ = 0;
  branching_ = true;
  return true;
}

}  // namespace millrace::model
