// Prints docs/reference/plan-errors.md.

#include <cstdio>
#include <string>

#include "plan/problem.h"

int main() {
  const std::string page = millrace::plan::problem_reference();
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
