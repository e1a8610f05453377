#pragma once

// The library in one header: a flow of lambdas, the pool that runs it, the event loop and the tasks
// that wait on it, and the results that report errors. Installed as <millrace/millrace.h>.

#include "base/clock.h"           // IWYU pragma: export
#include "base/error.h"           // IWYU pragma: export
#include "base/result.h"          // IWYU pragma: export
#include "loop/awaitables.h"      // IWYU pragma: export
#include "loop/event_loop.h"      // IWYU pragma: export
#include "loop/loop.h"            // IWYU pragma: export
#include "loop/stop.h"            // IWYU pragma: export
#include "loop/task.h"            // IWYU pragma: export
#include "runtime/admission.h"    // IWYU pragma: export
#include "runtime/flow.h"         // IWYU pragma: export
#include "runtime/worker_pool.h"  // IWYU pragma: export
