// Prints docs/reference/graph-errors.md.

#include <cstdio>

#include "graph/format/diagnostic.h"

int main() {
  std::fputs(millrace::graph::diagnostic_reference().c_str(), stdout);
  return 0;
}
