#include "apps/rankd/line_server.h"

#include <chrono>
#include <string>
#include <thread>

#include "host/waiting_call.h"
#include "rank/rank_error.h"
#include "rank/request.h"

namespace millrace::rankd {
namespace {

constexpr std::chrono::milliseconds kRetryPause(1);

}  // namespace

bool serve_lines(host::Engine& engine, std::istream& in, std::ostream& out) {
  rank::RequestReader reader;
  host::WaitingCall call;
  bool all_ok = true;
  std::string line;
  while (std::getline(in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    call.run(engine.ranker(0), reader, line);
    // A refused request waits here instead of failing. That happens when bodies of earlier requests
    // still run though these were answered at their deadlines.
    while (call.outcome() == rank::RankOutcome::kRefused) {
      std::this_thread::sleep_for(kRetryPause);
      call.run(engine.ranker(0), reader, line);
    }
    out << call.response() << '\n' << std::flush;
    all_ok &= call.ok();
  }
  return all_ok;
}

}  // namespace millrace::rankd
