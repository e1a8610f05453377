#pragma once

// Defects of the server that can be switched on, for the test that checks that the simulation of
// the server finds them. That test's own copy of `net` and `server` is compiled with
// MR_PLANTED_SERVER_BUGS; anywhere else every MR_PLANTED_IN_SERVER is `false`.

#ifdef MR_PLANTED_SERVER_BUGS

#include <cstdint>

namespace millrace::net {

enum class PlantedServerBug : std::uint8_t {
  kNone,
  kFirstLoopOnly,    ///< all connections go to the first loop
  kTwoHosts,         ///< a head may have two Host fields
  kBusyIsIdle,       ///< a drain closes connections that have a request under way
  kForgottenCancel,  ///< the run of a client that went away goes on
  kOldGeneration,    ///< requests use the oldest plans that are still held
  kUnorderedBatch,   ///< answers of a batch are sent as they come
  kGreedyBatch,      ///< any number of lines of a batch run at once
  kEarlyBatchEnd,    ///< a batch ends its chunks while lines run
  kForgottenLines,   ///< the lines of a client that went away go on
  kImpatientLine,    ///< a line that admission refuses does not wait
  kDeafLimit,        ///< the limit does not hear of full queues of workers
};

// Threading: set before a world is made, on the one thread that runs it.
inline PlantedServerBug planted_server_bug = PlantedServerBug::kNone;

}  // namespace millrace::net

#define MR_PLANTED_IN_SERVER(bug) \
  (::millrace::net::planted_server_bug == ::millrace::net::PlantedServerBug::bug)
#else
#define MR_PLANTED_IN_SERVER(bug) false
#endif
