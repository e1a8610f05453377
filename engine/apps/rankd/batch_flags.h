#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "apps/rankd/nats_flags.h"

namespace millrace::rankd {

/// What `rankd batch` is to do.
enum class BatchAction : std::uint8_t { kSubmit, kWork, kStatus, kFetch, kDelete };

struct BatchFlags {
  BatchAction action = BatchAction::kStatus;
  NatsFlags nats;
  std::string job;
  std::string file;  ///< of `submit`; `-`: stdin
  std::string out;   ///< of `fetch`
  std::string plan;
  std::int64_t replicas = 1;
  std::int64_t concurrency = 64;
  std::int64_t attempts_max = 5;
  bool repairs = false;
  bool watches = false;
  bool is_partial = false;
  bool is_sure = false;
};

/// Adds the subcommands of `batch`.
void add_batch_command(CLI::App& batch, BatchFlags& flags);

}  // namespace millrace::rankd
