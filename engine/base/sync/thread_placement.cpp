#include "base/sync/thread_placement.h"

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "base/error.h"
#include "base/format.h"
#include "base/result.h"

namespace millrace::base {
namespace {

std::unexpected<Error> cannot_pin(const std::string& what, int error) {
  return fail(ErrorCode::kUnavailable,
              format("{}: {}; start without pinning threads",
                     what,
                     std::error_code(error, std::generic_category()).message()));
}

}  // namespace

Result<std::vector<int>> usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (const int error = pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed);
      error != 0) {
    return cannot_pin("The system does not say which processors this process may use", error);
  }
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed)) processors.push_back(processor);
  }
  return processors;
}

Status pin_thread(pthread_t thread, int processor) {
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  if (processor >= 0 && processor < CPU_SETSIZE) CPU_SET(processor, &chosen);
  const int error = pthread_setaffinity_np(thread, sizeof(chosen), &chosen);
  if (error == 0) return {};
  return cannot_pin(format("A thread cannot be put on processor {}", processor), error);
}

Result<ProcessorDeal> ProcessorDeal::create() {
  MR_TRY(std::vector<int> processors, usable_processors());
  if (processors.empty())
    return fail(ErrorCode::kUnavailable, "There is no processor to pin threads to");
  return ProcessorDeal(std::move(processors));
}

Status ProcessorDeal::pin_next(pthread_t thread) {
  return pin_thread(thread, processors_[next_++ % processors_.size()]);
}

}  // namespace millrace::base
