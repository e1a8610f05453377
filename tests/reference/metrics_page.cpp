// Prints docs/reference/metrics.md; with the argument `dashboard` packaging/grafana/rankd.json.

#include <cstdio>
#include <string>
#include <string_view>

#include "observe/dashboard.h"
#include "observe/metric_catalog.h"
#include "server/observation/metric_table.h"

int main(int argc, char** argv) {
  using namespace millrace;
  const bool is_dashboard = argc > 1 && std::string_view(argv[1]) == "dashboard";
  const std::string text = is_dashboard ? observe::grafana_dashboard(server::metric_table())
                                        : observe::metrics_reference(server::metric_table());
  std::fputs(text.c_str(), stdout);
  return 0;
}
