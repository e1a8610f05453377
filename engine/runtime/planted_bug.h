#pragma once

// Bugs to order, for the test that asks whether the simulator would notice. The simulator's own
// copy of this module is compiled with MR_PLANTED_BUGS; anywhere else every MR_PLANTED is `false`.

#ifdef MR_PLANTED_BUGS

#include <cstdint>

namespace millrace::runtime {

enum class PlantedBug : std::uint8_t {
  kNone,
  kDoubleDecrement,  ///< a token counts twice
  kLostWakeUp,       ///< what comes from outside wakes nobody
  kLatePublish,      ///< a body counts although a clock took its node
  kLeakedCredit,     ///< a disarmed timer keeps its credit
  kLeakedPermit,     ///< a run's place in admission is never given back
};

// Threading: set before a world is made, on the one thread that runs it.
inline PlantedBug planted_bug = PlantedBug::kNone;

}  // namespace millrace::runtime

#define MR_PLANTED(bug) (::millrace::runtime::planted_bug == ::millrace::runtime::PlantedBug::bug)
#else
#define MR_PLANTED(bug) false
#endif
