#pragma once

#include <semaphore>

#include "loop/executor.h"
#include "loop/loop.h"

namespace millrace::host {

/// Runs a function on a loop and waits for it. Not to be called on that loop.
template <class Function>
void run_on_loop(loop::Loop& loop, Function function) {
  struct Call : loop::Job {
    explicit Call(Function& called)
        : Job([](Job& job) {
            auto& self = static_cast<Call&>(job);
            self.function();
            self.done.release();
          }),
          function(called) {}
    Function& function;
    std::binary_semaphore done{0};
  };
  Call call(function);
  loop.post(call);
  call.done.acquire();
}

}  // namespace millrace::host
