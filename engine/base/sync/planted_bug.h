#pragma once

// Bugs to order, for the test that asks whether the simulator would notice. The simulator's own
// copy of this module is compiled with MR_PLANTED_BUGS; anywhere else every MR_PLANTED is `false`.

#ifdef MR_PLANTED_BUGS

#include <cstdint>

namespace millrace::base {

enum class PlantedBug : std::uint8_t {
  kNone,
  kDoubleDecrement,   ///< a token counts twice
  kLostWakeUp,        ///< what comes from outside wakes nobody
  kLatePublish,       ///< a body counts although a clock took its node
  kLeakedCredit,      ///< a disarmed timer keeps its credit
  kLeakedPermit,      ///< a run's place in admission is never given back
  kStarvedClass,      ///< the lowest class never gets its turn
  kForgottenStrand,   ///< a body comes back from a run inside it to a strand with wrong credit
  kUncountedCall,     ///< a worker that is called back for an answer is not counted as searching
  kHostageBacklog,    ///< a body that runs a DAG keeps ready siblings to itself
  kSequenceKept,      ///< who was relieved of ready nodes runs them all the same
  kIdleWatcher,       ///< who looks around from time to time does not look at private backlogs
  kPatientAdmission,  ///< a run is admitted although its deadline has passed
  kForgottenWait,     ///< who takes ready nodes from a sequence does not know since when they wait
  kDepthInStart,      ///< the start of a node tells in its trace how it was handed over
};

// Threading: set before a world is made, on the one thread that runs it.
inline PlantedBug planted_bug = PlantedBug::kNone;

}  // namespace millrace::base

#define MR_PLANTED(bug) (::millrace::base::planted_bug == ::millrace::base::PlantedBug::bug)
#else
#define MR_PLANTED(bug) false
#endif
