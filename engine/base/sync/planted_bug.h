#pragma once

// Defects that can be switched on, for the test that checks that the simulator finds them. The
// simulator's own copy of this module is compiled with MR_PLANTED_BUGS; anywhere else every
// MR_PLANTED is `false`.

#ifdef MR_PLANTED_BUGS

#include <cstdint>

namespace millrace::base {

enum class PlantedBug : std::uint8_t {
  kNone,
  kDoubleDecrement,   ///< a token counts twice
  kLostWakeUp,        ///< work that is submitted from outside wakes no worker
  kLatePublish,       ///< a body's result is used although its node had timed out
  kLeakedCredit,      ///< the alarm of a run keeps the credit with which it joined
  kLeakedPermit,      ///< a run's place in admission is never given back
  kStarvedClass,      ///< the lowest class never gets its turn
  kForgottenStrand,   ///< a body that ran another run inside it leaves its strand a wrong credit
  kUncountedCall,     ///< a worker that is called back for an answer is not counted as searching
  kHostageBacklog,    ///< a body that runs a DAG keeps ready siblings to itself
  kGreedyStrand,      ///< a strand never makes room for what waits
  kIdleWatcher,       ///< the worker that searches now and then skips private backlogs
  kPatientAdmission,  ///< a run is admitted although its deadline has passed
  kLateQuickPublish,  ///< the result of a quick node is used although the answer is out
  kLateSuccess,       ///< an answer may be ok however late it is
  kLateReturn,        ///< a body counts although its timeout has passed, if the timer is late too
  kDepthInStart,      ///< the trace record of a node's start holds the inline depth
};

// Threading: set before a world is made, on the one thread that runs it.
inline PlantedBug planted_bug = PlantedBug::kNone;

}  // namespace millrace::base

#define MR_PLANTED(bug) (::millrace::base::planted_bug == ::millrace::base::PlantedBug::bug)
#else
#define MR_PLANTED(bug) false
#endif
