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

// Waits as a call to a server would; no thread is blocked meanwhile. It may be given up, so it gets
// a copy of what it needs and returns a value, instead of writing into the request.
loop::Task<base::Result<int>> fetch_friends(loop::Loop* loop, runtime::NodeCall call) {
  MR_CO_TRY_STATUS(co_await loop::sleep_for(*loop, 1ms, call.stop_token()));
  co_return 3;
}

int main() {
  auto events = loop::EventLoop::create();
  auto pool = runtime::WorkerPool::create({.compute_threads = 2});
  runtime::FlowBuilder<Request> builder;
  builder
      .async("friends",
             runtime::Replaceable{.input = [](const Request& request) { return &request.loop; },
                                  .body = fetch_friends,
                                  .commit = &Request::friends,
                                  .or_else = 0,
                                  .timeout = 1s})
      .cpu("trending", [](Request& request) { request.trending = 4; })
      .cheap("feed",
             [](Request& request) { request.feed = request.friends + request.trending; },
             {.after = {"friends", "trending"}});
  auto flow = builder.build();
  if (!events || !pool || !flow) return 1;

  // One flow serves any number of requests at the same time, each with a context of its own.
  auto request = std::make_shared<Request>(Request{.loop = **events});
  const base::Status status = flow->run(**pool, request, {.budget = 5s, .loop = events->get()});
  if (!status) {
    std::puts(status.error().to_string().c_str());
    return 1;
  }
  std::printf("a feed of %d items\n", request->feed);
  return 0;
}
// snippet-end: first_flow
