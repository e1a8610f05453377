#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace millrace::base {

void check_failed(const char* condition, const char* file, int line, const std::string& values) {
  std::fprintf(stderr,
               "MR_CHECK failed: %s at %s:%d%s%s\n",
               condition,
               file,
               line,
               values.empty() ? "" : " values:",
               values.c_str());
  std::abort();
}

}  // namespace millrace::base
