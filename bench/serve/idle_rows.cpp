#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <poll.h>

#include "base/format.h"
#include "base/result.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "bench/serve/tls_client.h"

namespace millrace::bench {
namespace {

/// Waits for the reply of a connection.
base::Status await_reply(ClientSocket& client) {
  for (;;) {
    pollfd wanted{.fd = client.descriptor(), .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, 10'000) <= 0)
      return base::fail(base::ErrorCode::kUnavailable, "The server does not answer");
    MR_TRY(const bool is_complete, client.receive());
    if (is_complete) return {};
  }
}

base::Status measure_plain(ServeReport& report, const ServeProject& project) {
  const std::size_t count = report.options.smoke ? 20 : 1000;
  const int rest_ms = report.options.smoke ? 100 : 10'000;
  MR_TRY(const auto process,
         RankdProcess::serve(
             {.arguments = {"--root", project.path(), "--loops", "1", "--set", "log.requests=off"},
              .log_file = project.file("log")}));
  const std::string request = make_request("/v1/rank/trivial", kRankBody);
  std::vector<ClientSocket> clients;
  const double before = process->resident_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    MR_TRY(ClientSocket client, ClientSocket::connect(process->port()));
    MR_TRY_STATUS(client.send(request));
    MR_TRY_STATUS(await_reply(client));
    clients.push_back(std::move(client));
  }
  const double each = (process->resident_bytes() - before) / static_cast<double>(count) / 1024;
  const double cpu_before = process->cpu_seconds();
  ::poll(nullptr, 0, rest_ms);
  const double cpu_ms = (process->cpu_seconds() - cpu_before) * 1e3;
  report.figures.insert(
      report.figures.end(),
      {{.name = base::format("S58 {} idle connections for 10 s", count),
        .value = cpu_ms,
        .unit = "ms CPU",
        .at_most = 10},
       {.name = "S58 memory of an idle connection", .value = each, .unit = "KiB", .at_most = 8}});
  return {};
}

base::Status measure_tls(ServeReport& report, const ServeProject& project) {
  const std::size_t count = report.options.smoke ? 5 : 1000;
  MR_TRY_STATUS(make_certificate(project.file("cert.pem"), project.file("key.pem")));
  MR_TRY(const auto process,
         RankdProcess::serve({.arguments = {"--root",
                                            project.path(),
                                            "--loops",
                                            "1",
                                            "--set",
                                            "log.requests=off",
                                            "--set",
                                            "server.admin=127.0.0.1:0",
                                            "--set",
                                            "tls.cert=" + project.file("cert.pem"),
                                            "--set",
                                            "tls.key=" + project.file("key.pem")},
                              .log_file = project.file("tls.log")}));
  TlsClients clients;
  const std::string request = make_request("/v1/rank/trivial", kRankBody);
  const double before = process->resident_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    MR_TRY_STATUS(clients.add(process->port(), request));
  }
  const double each = (process->resident_bytes() - before) / static_cast<double>(count) / 1024;
  report.figures.push_back({.name = "S58 memory of an idle connection with TLS",
                            .value = each,
                            .unit = "KiB",
                            .at_most = 64});
  return {};
}

}  // namespace

base::Status measure_idle(ServeReport& report) {
  MR_TRY(const ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("trivial", trivial_plan()));
  MR_TRY_STATUS(measure_plain(report, project));
  return measure_tls(report, project);
}

}  // namespace millrace::bench
