// Hands the context itself to a body that may be given up.

#include <functional>

#include "runtime/flow.h"

struct Request {
  int friends = 0;
};

int main() {
  millrace::runtime::FlowBuilder<Request> builder;
  builder.cpu("friends",
              millrace::runtime::Replaceable{
                  .input = [](const Request& request) { return std::cref(request); },
                  .body = [](Request& request) { return ++request.friends; },
                  .commit = &Request::friends});
}
