// A program of somebody else's: runs a flow on an installed millrace and fails if that does not
// work.

#include <cstdio>
#include <memory>

#include "base/result.h"
#include "loop/event_loop.h"
#include "runtime/flow.h"
#include "runtime/worker_pool.h"

namespace {

struct Order {
  int apples = 0;
  int pears = 0;
  int total = 0;
};

millrace::base::Result<int> count_fruit() {
  namespace runtime = millrace::runtime;
  runtime::FlowBuilder<Order> builder;
  builder.cpu("apples", [](Order& order) { order.apples = 2; });
  builder.cpu("pears", [](Order& order) { order.pears = 3; });
  builder.cheap("total",
                [](Order& order) { order.total = order.apples + order.pears; },
                {.after = {"apples", "pears"}});
  MR_TRY(const runtime::Flow<Order> flow, builder.build());
  MR_TRY(const std::unique_ptr<runtime::WorkerPool> pool, runtime::WorkerPool::create({}));
  Order order;
  MR_TRY_STATUS(flow.run(*pool, order));
  // The loop is what needs libuv, which the package must find by itself.
  MR_TRY(const std::unique_ptr<millrace::loop::EventLoop> loop,
         millrace::loop::EventLoop::create());
  return order.total;
}

}  // namespace

int main() {
  const millrace::base::Result<int> total = count_fruit();
  if (!total) std::puts(total.error().to_string().c_str());
  return total == 5 ? 0 : 1;
}
