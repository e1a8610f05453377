// Prints docs/reference/http-api.md.

#include <cstdio>

#include "server/pages/openapi.h"

int main() {
  std::fputs(millrace::server::api_reference().c_str(), stdout);
  return 0;
}
