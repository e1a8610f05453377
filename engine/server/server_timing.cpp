#include "server/server_timing.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/append_texts.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"

namespace millrace::server {
namespace {

/// The digits of a duration in milliseconds. Every answer has four of them, so they are those of a
/// whole number.
class MillisecondsText {
 public:
  explicit MillisecondsText(base::Duration duration) {
    using std::chrono::microseconds;
    const auto rounded = static_cast<std::uint64_t>(
        std::chrono::round<microseconds>(std::max(duration, base::Duration::zero())).count());
    const auto fraction = static_cast<unsigned>(rounded % 1000);
    char* end = std::to_chars(std::begin(text_), std::end(text_), rounded / 1000).ptr;
    *end++ = '.';
    for (const unsigned digit : {fraction / 100, fraction / 10 % 10, fraction % 10})
      *end++ = static_cast<char>('0' + digit);
    size_ = static_cast<std::size_t>(end - text_);
  }
  operator std::string_view() const {  // NOLINT(google-explicit-constructor): it is one
    return {text_, size_};
  }

 private:
  char text_[32];
  std::size_t size_ = 0;
};

void append_phase(std::string_view name, base::Duration duration, std::string& out) {
  base::append_texts(out, name, ";dur=", MillisecondsText(duration));
}

}  // namespace

void append_server_timing(const RequestPhases& phases, std::string& out) {
  base::append_texts(out,
                     "read;dur=",
                     MillisecondsText(phases.read),
                     ", wait;dur=",
                     MillisecondsText(phases.wait),
                     ", run;dur=",
                     MillisecondsText(phases.run),
                     ", total;dur=",
                     MillisecondsText(phases.total));
}

void append_node_timing(std::string_view response, std::string& out) {
  constexpr std::size_t kNodesMax = 16;
  const auto document = base::read_json(response);
  if (!document) return;
  const auto trace = document->root().find_member("trace");
  const auto nodes = trace ? trace->find_member("nodes") : std::nullopt;
  if (!nodes) return;
  struct NodeTime {
    std::string_view id;
    double microseconds;
  };
  std::vector<NodeTime> times;
  for (const base::JsonValue node : nodes->children()) {
    const auto id = node.find_member("node");
    const auto start = node.find_member("start_us");
    const auto end = node.find_member("end_us");
    if (!id || !start || !end) continue;
    times.push_back({id->find_string().value_or(""),
                     end->find_number().value_or(0) - start->find_number().value_or(0)});
  }
  std::ranges::sort(times, [](const NodeTime& one, const NodeTime& other) {
    return std::pair(other.microseconds, one.id) < std::pair(one.microseconds, other.id);
  });
  times.resize(std::min(times.size(), kNodesMax));
  for (const NodeTime& time : times) {
    std::string name = ", n_";
    for (const char byte : time.id) {
      const bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                            (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '-';
      name += is_plain ? byte : '_';
    }
    append_phase(name,
                 std::chrono::duration_cast<base::Duration>(
                     std::chrono::duration<double, std::micro>(time.microseconds)),
                 out);
  }
}

}  // namespace millrace::server
