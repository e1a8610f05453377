#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace millrace::model {

/// Enumerates all sequences of choices depth first, by running the program again and again: each
/// execution repeats the choices of the previous one up to the last that has an option left, and
/// takes that option. A state that an earlier execution has been in is not explored twice.
/// Threading: not shared.
class ChoiceTree {
 public:
  explicit ChoiceTree(bool revisit_states) : revisit_states_(revisit_states) {}

  /// Gives the option to take at this point of the execution. `state` names everything that the
  /// future of the program depends on; it is used only if wants_state().
  [[nodiscard]] std::size_t choose(std::size_t option_count, std::uint64_t state);
  [[nodiscard]] bool wants_state() const { return branching_ && depth_ == path_.size(); }
  /// From now on the first option is always taken, so that the execution ends without adding to the
  /// tree.
  void stop_branching() { branching_ = false; }
  /// Prepares the next execution. Returns false if there is none left.
  [[nodiscard]] bool advance();

  [[nodiscard]] std::size_t state_count() const { return visited_.size(); }

 private:
  struct Choice {
    std::size_t taken = 0;
    std::size_t option_count = 0;
  };

  const bool revisit_states_;
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
  bool branching_ = true;
  std::unordered_set<std::uint64_t> visited_;
};

}  // namespace millrace::model
