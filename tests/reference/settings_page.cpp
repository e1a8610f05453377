// Prints docs/reference/settings.md.

#include <cstdio>

#include "server/server_settings.h"

int main() {
  std::fputs(millrace::server::settings_page().c_str(), stdout);
  return 0;
}
