// Runs a shape for so many epochs, for tools that count instructions.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/result.h"
#include "graph/message_shape.h"

int main(int argument_count, char** arguments) {
  using millrace::bench::MessageRun;
  const auto* shape =
      argument_count == 4 ? millrace::bench::find_message_shape(arguments[1]) : nullptr;
  if (shape == nullptr) {
    std::fputs("Usage: graph_runs SHAPE MESSAGES_PER_EPOCH EPOCHS\n", stderr);
    return 2;
  }
  const auto per_epoch = static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 10));
  auto run = MessageRun::make(*shape, per_epoch);
  if (run) {
    const millrace::base::Status status = (*run)->run(std::strtoull(arguments[3], nullptr, 10));
    if (status) return 0;
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    return 1;
  }
  std::fprintf(stderr, "%s\n", run.error().to_string().c_str());
  return 1;
}
