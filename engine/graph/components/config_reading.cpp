#include "graph/components/config_reading.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/body/message.h"
#include "graph/format/duration_text.h"
#include "graph/payload.h"

namespace millrace::graph {

std::int64_t read_int(const Payload& config, std::string_view name, std::int64_t or_else) {
  const Payload* field = config.find_member(name);
  return field == nullptr ? or_else : field->find_int().value_or(or_else);
}

double read_number(const Payload& config, std::string_view name, double or_else) {
  const Payload* field = config.find_member(name);
  return field == nullptr ? or_else : field->find_number().value_or(or_else);
}

bool read_flag(const Payload& config, std::string_view name) {
  const Payload* field = config.find_member(name);
  return field != nullptr && field->find_bool().value_or(false);
}

Duration read_duration(const Payload& config, std::string_view name, Duration or_else) {
  if (const Payload* field = config.find_member(name)) {
    if (const auto text = field->find_text()) return find_duration(*text).value_or(or_else);
  }
  if (const Payload* field = config.find_member(std::string(name) + "_ms")) {
    return from_milliseconds(field->find_int().value_or(0));
  }
  return or_else;
}

std::vector<Duration> read_durations(const Payload& config, std::string_view name) {
  std::vector<Duration> durations;
  const Payload* field = config.find_member(name);
  if (field == nullptr) return durations;
  for (const Payload& item : field->items()) {
    durations.push_back(find_duration(item.find_text().value_or("")).value_or(Duration::zero()));
  }
  return durations;
}

}  // namespace millrace::graph
