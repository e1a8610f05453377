// Prints docs/reference/request-errors.md.

#include <cstdio>

#include "server/problem.h"

int main() {
  std::fputs(millrace::server::problem_reference().c_str(), stdout);
  return 0;
}
