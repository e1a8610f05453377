// A run with a budget: the answer is there in time, with a fallback for what was too slow. Without
// a fallback it is an error that says what the run was waiting for.

// snippet-begin: budget
#include <chrono>
#include <cstdio>
#include <memory>

#include <millrace/millrace.h>

using namespace millrace;
using namespace std::chrono_literals;

struct Request {
  loop::Loop* loop = nullptr;
  int exact = 0;
};

// Takes far too long, but can be stopped.
loop::Task<base::Result<int>> count_exactly(loop::Loop* loop, runtime::NodeCall call) {
  MR_CO_TRY_STATUS(co_await loop::sleep_for(*loop, 10s, call.stop_token()));
  co_return 42;
}

int main() {
  runtime::FlowBuilder<Request> patient;
  patient.async("count",
                runtime::Replaceable{.input = &Request::loop,
                                     .body = count_exactly,
                                     .commit = &Request::exact,
                                     .or_else = 40});
  runtime::FlowBuilder<Request> strict;
  strict.async("count",
               runtime::Replaceable{
                   .input = &Request::loop, .body = count_exactly, .commit = &Request::exact});
  const auto with_fallback = patient.build();
  const auto without = strict.build();
  auto events = loop::EventLoop::create();
  auto pool = runtime::WorkerPool::create({.compute_threads = 2});
  if (!with_fallback || !without || !events || !pool) return 1;

  const runtime::RunOptions options{.budget = 20ms, .loop = events->get()};
  auto request = std::make_shared<Request>(Request{.loop = events->get()});
  const base::Status in_time = with_fallback->run(**pool, request, options);
  if (in_time) {
    std::printf("with a fallback: ok, %d\n", request->exact);
  } else {  // a busy machine: bodies may still write to the request, so it is left alone
    std::printf("with a fallback: %s\n", in_time.error().to_string().c_str());
  }

  auto other = std::make_shared<Request>(Request{.loop = events->get()});
  const base::Status late = without->run(**pool, other, options);
  std::printf("without: %s\n", late ? "ok" : late.error().to_string().c_str());
  return late ? 1 : 0;
}
// snippet-end: budget
