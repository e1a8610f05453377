#include "server/server_timing.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>

namespace millrace::server {
namespace {

void append_phase(std::string_view name, base::Duration duration, std::string& out) {
  const double milliseconds = std::chrono::duration<double, std::milli>(duration).count();
  char text[32];
  const auto end = std::to_chars(std::begin(text),
                                 std::end(text),
                                 std::max(milliseconds, 0.0),
                                 std::chars_format::fixed,
                                 3)
                       .ptr;
  out.append(name).append(";dur=").append(text, end);
}

}  // namespace

void append_server_timing(const RequestPhases& phases, std::string& out) {
  append_phase("read", phases.read, out);
  append_phase(", wait", phases.wait, out);
  append_phase(", run", phases.run, out);
  append_phase(", total", phases.total, out);
}

}  // namespace millrace::server
