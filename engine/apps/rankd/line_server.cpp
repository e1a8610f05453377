#include "apps/rankd/line_server.h"

#include <string>

#include "host/waiting_call.h"
#include "rank/request.h"

namespace millrace::rankd {

bool serve_lines(host::Engine& engine, std::istream& in, std::ostream& out) {
  rank::RequestReader reader;
  host::WaitingCall call;
  bool all_ok = true;
  std::string line;
  while (std::getline(in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    call.run(engine.ranker(0), reader, line);
    out << call.response() << '\n' << std::flush;
    all_ok &= call.ok();
  }
  return all_ok;
}

}  // namespace millrace::rankd
