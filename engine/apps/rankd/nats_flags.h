#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "nats/library_link.h"

namespace millrace::rankd {

/// What the command line says about a NATS server, for commands that are its clients.
struct NatsFlags {
  std::vector<std::string> urls;
  std::string prefix = "rank";
  std::string credentials_file;
  std::string plan;               ///< that `request` asks
  std::int64_t concurrency = 64;  ///< requests under way at a time
  double timeout_ms = 10'000;     ///< for one answer
};

/// Adds the options that say where the server is.
void add_nats_options(CLI::App& command, NatsFlags& flags);
/// Adds those of `rankd request`.
void add_request_options(CLI::App& command, NatsFlags& flags);

/// The settings of the connection: user, password and TLS come from the variables of the
/// environment that `rankd serve` reads, too.
[[nodiscard]] nats::LinkSettings link_settings(
    const NatsFlags& flags, const std::function<const char*(const char*)>& variable);

}  // namespace millrace::rankd
