// The smallest useful flow: one source is fetched on the event loop, another is computed on a
// worker at the same time, and both are joined. A source that is too slow is left out.

// snippet-begin: first_flow
#include <chrono>
#include <cstdio>
#include <memory>

#include <millrace/millrace.h>

using namespace millrace;
using namespace std::chrono_literals;

struct Request {
  loop::Loop& loop;
  int friends = 0;
  int trending = 0;
  int feed = 0;
};

// Waits as a call to a server would; no thread is blocked meanwhile.
loop::Task<base::Status> fetch_friends(runtime::AsyncCall<Request> call) {
  Request& request = call.context();
  MR_CO_TRY_STATUS(co_await loop::sleep_for(request.loop, 1ms, call.stop_token()));
  request.friends = 3;
  co_return base::Status{};
}

int main() {
  auto events = loop::EventLoop::create();
  auto pool = runtime::WorkerPool::create({.compute_threads = 2});
  runtime::FlowBuilder<Request> builder;
  builder.async("friends", fetch_friends, {.timeout = 1s})
      .or_else([](Request& request) { request.friends = 0; })
      .cpu("trending", [](Request& request) { request.trending = 4; })
      .cheap("feed",
             [](Request& request) { request.feed = request.friends + request.trending; },
             {.after = {"friends", "trending"}});
  auto flow = builder.build();
  if (!events || !pool || !flow) return 1;

  // One flow serves any number of requests at the same time, each with a context of its own.
  auto request = std::make_shared<Request>(Request{.loop = **events});
  const base::Status status = flow->run(
      **pool, request, {.deadline = (*events)->clock().now() + 5s, .loop = events->get()});
  if (!status) std::puts(status.error().to_string().c_str());
  std::printf("a feed of %d items\n", request->feed);
  return status ? 0 : 1;
}
// snippet-end: first_flow
