#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/body/message.h"
#include "graph/payload.h"

// Reads fields of a configuration that the descriptor of the type has checked already.

namespace millrace::graph {

[[nodiscard]] std::int64_t read_int(const Payload& config,
                                    std::string_view name,
                                    std::int64_t or_else);
[[nodiscard]] double read_number(const Payload& config, std::string_view name, double or_else);
[[nodiscard]] bool read_flag(const Payload& config, std::string_view name);
/// Under its name with a unit, or under its name + `_ms` as an integer.
[[nodiscard]] Duration read_duration(const Payload& config,
                                     std::string_view name,
                                     Duration or_else = {});
[[nodiscard]] std::vector<Duration> read_durations(const Payload& config, std::string_view name);

}  // namespace millrace::graph
