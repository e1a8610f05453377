#include "apps/topoexec/observe_command.h"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/outcome.h"
#include "apps/topoexec/run_session.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "bridge/http_link.h"
#include "graph/payload.h"
#include "graph/report/live_table.h"
#include "graph/report/run_report.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "net/address.h"
#include "net/http_message.h"

namespace millrace::topoexec {
namespace {

constexpr std::size_t kAnswerBytesMax = std::size_t{64} << 20U;
constexpr std::chrono::seconds kAnswerLimit(5);

/// Draws one sample after the other on standard output.
class LiveScreen {
 public:
  explicit LiveScreen(const Flags& flags)
      : is_json_(flags.format == Format::kJson),
        is_terminal_(!is_json_ && !flags.once && isatty(STDOUT_FILENO) == 1) {}

  /// Fails if the status cannot be read, or nobody reads standard output any more.
  [[nodiscard]] base::Status show(const std::string& status) {
    if (is_json_) return write(status.ends_with('\n') ? status : status + "\n");
    MR_TRY(graph::LiveSample sample, graph::read_live_sample(status));
    const std::string table =
        graph::live_table(sample, before_ ? &*before_ : nullptr, {.rows_max = rows()});
    before_ = std::move(sample);
    // To the first place of the screen, and clear what is below.
    if (is_terminal_) return write("\x1b[H\x1b[J" + table);
    const std::string_view between = is_first_ ? "" : "\n";
    is_first_ = false;
    return write(std::string(between) + table);
  }

 private:
  [[nodiscard]] std::size_t rows() const {
    winsize size{};
    const bool is_known = is_terminal_ && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return is_known && size.ws_row > 1 ? size.ws_row - 1U : 0U;
  }
  static base::Status write(const std::string& text) {
    const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (is_written && std::fflush(stdout) == 0) return {};
    return base::fail(base::ErrorCode::kUnavailable, "Standard output cannot be written");
  }

  const bool is_json_;
  const bool is_terminal_;
  bool is_first_ = true;
  std::optional<graph::LiveSample> before_;
};

std::string status_of(const GraphInput& input,
                      const graph::Runtime& runtime,
                      std::chrono::steady_clock::time_point begin) {
  std::string text;
  base::JsonWriter json(text);
  graph::write_status_json(input.graph,
                           runtime.result(),
                           {.is_paused = runtime.is_paused(),
                            .has_ended = runtime.has_ended(),
                            .time = std::chrono::steady_clock::now() - begin},
                           json);
  return text;
}

Outcome failed(std::string_view message) {
  return {.exit_code = kRunFailed, .out = {}, .err = base::format("topoexec: {}\n", message)};
}

/// Gets a page of a graph in another process; an answer that is no success is an error.
base::Result<std::string> get_page(const std::string& at, std::string target) {
  MR_TRY(net::Address address, net::parse_address(at));
  const bridge::HttpLinkSettings settings{
      .place = {.address = std::move(address), .target = std::move(target)},
      .timeout = kAnswerLimit,
      .body_bytes_max = kAnswerBytesMax};
  MR_TRY(const std::unique_ptr<bridge::HttpLink> link, bridge::make_http_link(settings));
  MR_TRY(net::HttpReply reply, link->get());
  if (reply.status == 200) return std::move(reply.body);
  const auto problem = graph::Payload::parse(reply.body);
  const graph::Payload* detail = problem ? problem->find_member("detail") : nullptr;
  const auto text = detail == nullptr ? std::nullopt : detail->find_text();
  return base::fail(base::ErrorCode::kUnavailable,
                    text ? std::string(*text)
                         : base::format("What answers there is no graph (status {})", reply.status),
                    at);
}

/// Bytes that a path may not hold as they are are written as `%XX`.
std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char byte : text) {
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.';
    if (is_plain) {
      encoded += byte;
    } else {
      encoded += base::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
  }
  return encoded;
}

}  // namespace

Outcome observe_graph(const GraphInput& input) {
  const Flags& flags = input.flags;
  if (flags.virtual_time) {
    return usage_error(
        "observe watches a run in wall time; 'graph metrics' has the numbers of one "
        "in virtual time");
  }
  RunSession session(flags);
  graph::RuntimeRunnerOptions options = options_of(flags);
  session.prepare(options);
  options.is_hosted = false;
  LiveScreen screen(flags);
  graph::Runtime runtime(input.graph, input.types, std::move(options));
  const auto begin = std::chrono::steady_clock::now();
  if (const base::Status started = runtime.start(); !started) {
    return failed(started.error().to_string());
  }
  std::binary_semaphore ended(0);
  std::thread waiter([&] {
    runtime.wait();
    ended.release();
  });
  base::Status shown;
  while (shown && !ended.try_acquire_for(std::chrono::milliseconds(flags.interval_ms))) {
    shown = screen.show(status_of(input, runtime, begin));
    if (flags.once) break;
  }
  session.stop();
  waiter.join();
  const bool has_shown_all = flags.once && shown;
  runtime.run();
  const graph::RuntimeRunnerResult result = runtime.result();
  // The last look, unless one was asked for and there was one.
  if (shown && !has_shown_all) shown = screen.show(status_of(input, runtime, begin));
  Outcome outcome{.exit_code = result.ok && shown ? 0 : kRunFailed, .out = {}, .err = {}};
  if (!shown) outcome.err = base::format("topoexec: {}\n", shown.error().message());
  if (flags.format != Format::kJson) outcome.err += graph::run_summary(input.graph, result);
  return outcome;
}

bool names_address(const Flags& flags) {
  std::error_code ignored;
  return !std::filesystem::exists(flags.file, ignored) &&
         net::parse_address(flags.file).has_value();
}

Outcome observe_address(const Flags& flags) {
  LiveScreen screen(flags);
  bool is_first = true;
  while (true) {
    const auto status = get_page(flags.file, "/v1/status");
    if (!status) {
      // A graph that has ended does not answer any more.
      if (!is_first) return {.exit_code = 0, .out = {}, .err = "topoexec: The graph has ended\n"};
      return failed(status.error().to_string());
    }
    is_first = false;
    if (const base::Status shown = screen.show(*status); !shown) {
      return failed(shown.error().message());
    }
    if (flags.once) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(flags.interval_ms));
  }
}

Outcome ask_why(const Flags& flags) {
  const std::string target = base::format("/v1/why/{}{}",
                                          percent_encoded(flags.component),
                                          flags.format == Format::kJson ? "" : "?format=text");
  auto answer = get_page(flags.at, target);
  if (!answer) return failed(answer.error().to_string());
  return {.exit_code = 0, .out = *std::move(answer), .err = {}};
}

}  // namespace millrace::topoexec
