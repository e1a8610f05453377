// Gives a timeout to a body that writes to the context: it could still write when others read.

#include <chrono>

#include "runtime/flow.h"

struct Request {
  int friends = 0;
};

int main() {
  millrace::runtime::FlowBuilder<Request> builder;
  builder.cpu("friends",
              [](Request& request) { request.friends = 1; },
              {.timeout = std::chrono::milliseconds(1)});
}
