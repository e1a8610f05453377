// A plugin that ends the process while it is loaded, as the environment says.

#include <cstdlib>
#include <cstring>

namespace {

[[gnu::constructor]] void end_process() {
  const char* const how = std::getenv("PLUGIN_END");  // NOLINT(concurrency-mt-unsafe)
  if (how == nullptr) return;
  if (std::strcmp(how, "exit") == 0) std::exit(3);  // NOLINT(concurrency-mt-unsafe)
  std::abort();
}

}  // namespace
