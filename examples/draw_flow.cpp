// Prints a flow for Graphviz (the default) or, with the argument `mermaid`, for viewers of
// Markdown.

// snippet-begin: draw_flow
#include <chrono>
#include <cstdio>
#include <string_view>

#include <millrace/millrace.h>

using namespace millrace;
using namespace std::chrono_literals;

struct Request {
  int friends = 0;
};

int main(int argument_count, char** arguments) {
  runtime::FlowBuilder<Request> builder;
  builder
      .cpu("friends",
           runtime::Replaceable{.body = [] { return 3; },
                                .commit = &Request::friends,
                                .or_else_node = "cached friends",
                                .timeout = 10ms})
      .cpu("cached friends", [](Request& request) { request.friends = 2; })
      .cpu("trending", [](Request&) {}, {.op = "lookup"})
      .cheap("feed", [](Request&) {}, {.after = {"friends", "trending"}});
  const auto flow = builder.build();
  if (!flow) return 1;
  const bool mermaid = argument_count > 1 && std::string_view(arguments[1]) == "mermaid";
  std::printf("%s", mermaid ? flow->to_mermaid().c_str() : flow->to_dot().c_str());
  return 0;
}
// snippet-end: draw_flow
