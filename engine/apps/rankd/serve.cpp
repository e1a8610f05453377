#include "apps/rankd/serve.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "apps/rankd/extensions.h"
#include "apps/rankd/graph_run.h"
#include "apps/rankd/output.h"
#include "apps/rankd/process_log.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/log/async_log_sink.h"
#include "base/log/log.h"
#include "base/problems/message_text.h"
#include "base/settings/setting_values.h"
#include "host/engine.h"
#include "host/project.h"
#include "server/descriptor_limit.h"
#include "server/observation/otel_settings.h"
#include "server/server.h"
#include "server/server_settings.h"
#include "server/service_notice.h"
#include "server/setting_files.h"

namespace millrace::rankd {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kServeOk = 0;
constexpr int kServeFailed = 1;
constexpr int kServeUsage = 2;
constexpr base::Duration kDrainPoll = std::chrono::milliseconds(20);
constexpr base::Duration kReadyPoll = std::chrono::milliseconds(50);
/// How long clients have to take their answers when requests were given up.
constexpr base::Duration kLastAnswersMax = std::chrono::seconds(1);

Pairs environment() {
  Pairs variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

/// The signals that end the process or make it read its files again, blocked for all threads that
/// start later.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&set_);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, number);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    // A client that is gone is an error of its write.
    signal(SIGPIPE, SIG_IGN);
  }
  /// Waits for one that ends the process. Meanwhile each SIGHUP makes the server read its files
  /// again, and the service manager hears of both and of the health of the loops.
  [[nodiscard]] int wait(server::Server& server, const server::ServiceManager& manager) const {
    bool is_told = false;
    while (true) {
      if (!is_told && server.readiness().is_ready()) {
        manager.tell_ready();
        is_told = true;
      }
      if (server.is_live()) manager.tell_alive();
      base::Duration pause = manager.watchdog_pause().value_or(std::chrono::hours(1));
      if (!is_told && manager.is_present()) pause = std::min(pause, kReadyPoll);
      const int number = next(pause);
      if (number == SIGHUP) {
        manager.tell_reloading(base::steady_clock().now());
        // The manager outlives the server.
        server.request_reload([&manager] { manager.tell_ready(); });
      } else if (number != 0) {
        return number;
      }
    }
  }
  /// Waits for one of them, for at most that long. True: one came.
  [[nodiscard]] bool wait_for(base::Duration span) const {
    const base::TimePoint end = base::steady_clock().now() + span;
    while (true) {
      const int number = next(end - base::steady_clock().now());
      if (number != 0 && number != SIGHUP) return true;
      if (base::steady_clock().now() >= end) return false;
    }
  }

 private:
  /// The next signal; 0 if none comes in that time.
  [[nodiscard]] int next(base::Duration span) const {
    span = std::max(span, base::Duration(0));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
    const timespec limit{.tv_sec = seconds.count(), .tv_nsec = (span - seconds).count()};
    return std::max(sigtimedwait(&set_, nullptr, &limit), 0);
  }

  sigset_t set_{};
};

base::LogLevel level_of(const std::string& name) {
  if (name == "debug") return base::LogLevel::kDebug;
  if (name == "warn") return base::LogLevel::kWarning;
  if (name == "error") return base::LogLevel::kError;
  return base::LogLevel::kInfo;
}

base::LogFormat format_of(const std::string& name) {
  const bool is_text = name == "text" || (name == "auto" && isatty(STDERR_FILENO) == 1);
  return is_text ? base::LogFormat::kText : base::LogFormat::kJson;
}

/// Digits that differ from those of other lives of the process.
std::string random_prefix() {
  std::random_device device;
  return base::format("{:08x}{:08x}-", device(), device());
}

/// Prints a message for people; names of files and the like in it may be anything.
void print_to(std::FILE* stream, const std::string& text) {
  const std::string shown = base::printable(text);
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

/// Prints what a command is for; gives the exit code.
int print_result(std::string_view text) {
  Output out(STDOUT_FILENO, "stdout");
  if (out.write(text)) return kServeOk;
  print_to(stderr, "rankd: " + out.status().error().message() + "\n");
  return kServeFailed;
}

/// Ends the server in order (S47); gives the exit code.
int drain(server::Server& server,
          const server::ServerSettings& settings,
          const EndSignals& signals,
          int signal_number,
          base::Logger& log) {
  const base::TimePoint begin = base::steady_clock().now();
  const base::TimePoint end = begin + settings.drain_timeout;
  log.info("drain_begin", "The server is about to end", {{"signal", strsignal(signal_number)}});
  server.begin_drain();
  const bool has_notice = signal_number == SIGTERM && settings.drain_notice > base::Duration(0);
  if (has_notice && signals.wait_for(settings.drain_notice)) return kServeFailed;
  server.stop_accepting();
  while (!server.is_idle()) {
    if (signals.wait_for(kDrainPoll)) return kServeFailed;
    if (base::steady_clock().now() < end) continue;
    log.warning("drain_timeout", "Requests were given up, because they took too long");
    server.give_up();
    // What was answered just now still has to leave.
    const base::TimePoint last = base::steady_clock().now() + kLastAnswersMax;
    while (!server.is_idle() && base::steady_clock().now() < last) {
      if (signals.wait_for(kDrainPoll)) break;
    }
    return kServeFailed;
  }
  const std::chrono::duration<double, std::milli> took = base::steady_clock().now() - begin;
  log.info("drain_end", "All requests are answered", {{"took_ms", took.count()}});
  return kServeOk;
}

int serve_with(Flags flags,
               const server::ServerSettings& settings,
               const base::SettingValues& values,
               const base::ProblemReport& warnings) {
  const EndSignals signals;
  const server::ServiceManager manager = server::ServiceManager::from_environment();
  if (auto enough = server::raise_descriptor_limit(settings.connections_max); !enough) {
    print_to(stderr, "rankd: " + enough.error().message() + "\n");
    return kServeFailed;
  }
  base::AsyncLogSink sink({.format = format_of(values.text("log.format"))});
  base::Logger log(sink, {.level_min = level_of(values.text("log.level"))});
  for (const base::Problem& warning : warnings.problems())
    log.warning("setting_ignored", warning.message);
  flags.log = &log;
  flags.id_prefix = random_prefix();
  const auto graph = load_graph(flags.graph_file, flags);
  if (!graph) {
    print_to(stderr, "rankd: " + graph.error().text + "\n");
    return kServeFailed;
  }
  const auto extensions = [desk = graph->get()] { return rankd_extensions(desk); };
  auto project = host::Project::open(flags, extensions());
  if (!project) {
    print_to(stderr, "rankd: " + project.error().text + "\n");
    return kServeFailed;
  }
  auto engine =
      host::Engine::start(flags, std::shared_ptr<const host::Project>(*std::move(project)));
  if (!engine) {
    print_to(stderr, "rankd: " + engine.error().text + "\n");
    return kServeFailed;
  }
  if (*graph != nullptr) {
    // The server ends it, after the last request.
    if (auto started = (*graph)->start(**engine, &log); !started) {
      print_to(stderr, "rankd: " + started.error().text + "\n");
      return kServeFailed;
    }
  }
  auto server = server::Server::start({.engine = *std::move(engine),
                                       .host = flags,
                                       .extensions = extensions,
                                       .log = &log,
                                       .log_sink = &sink,
                                       .graphs = graph->get(),
                                       .inherited = server::take_inherited_sockets()},
                                      settings);
  if (!server) {
    print_to(stderr, "rankd: " + server.error().text + "\n");
    return kServeFailed;
  }
  const int signal_number = signals.wait(**server, manager);
  manager.tell_stopping();
  const int exit_code = drain(**server, settings, signals, signal_number, log);
  if (exit_code == kServeOk) return kServeOk;
  log.warning("forced_exit", "The process ends before all requests have");
  sink.flush();
  // Destructors would wait for what still runs.
  std::_Exit(exit_code);
}

}  // namespace

int run_serve(Flags flags) {
  base::ProblemReport report;
  std::string text;
  if (!flags.serve.config_file.empty()) {
    auto read = host::read_text_file(flags.serve.config_file);
    if (!read) {
      print_to(stderr, "rankd: " + read.error().text + "\n");
      return kServeUsage;
    }
    text = *std::move(read);
  }
  const Pairs variables = environment();
  const auto values = base::SettingValues::read(server::settings_table(),
                                                {.flags = flags.serve.settings,
                                                 .environment = variables,
                                                 .file_name = flags.serve.config_file,
                                                 .file_text = text},
                                                report);
  server::ServerSettings settings = server::read_server_settings(values, report);
  server::read_otel_settings(values, variables, settings, report);
  if (flags.serve.check_config) server::check_setting_files(settings, report);
  if (report.has_errors() || flags.serve.check_config) {
    print_to(stderr, report.to_text());
    if (report.has_errors()) return kServeUsage;
    return print_result("The settings are in order.\n");
  }
  if (flags.serve.print_config) {
    std::string out;
    if (flags.format == Format::kJson) {
      base::JsonWriter json(out);
      values.write_json(json);
      out += '\n';
    } else {
      out = values.to_text();
    }
    return print_result(out);
  }
  server::apply_to_host(values, flags);
  return serve_with(std::move(flags), settings, values, report);
}

}  // namespace millrace::rankd
