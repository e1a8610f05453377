#pragma once

#include <string>

#include "nats/library_link.h"

namespace millrace::server {

/// How requests come over NATS.
struct NatsSettings {
  nats::LinkSettings link = {};  ///< without URLs: not at all
  std::string group = "rankd";   ///< the queue group that the process joins
  std::string prefix = "rank";   ///< of subjects; a dot and the plan's name follow
  bool is_required = false;      ///< whether the server is ready only while it is connected

  [[nodiscard]] bool is_used() const { return !link.urls.empty(); }
};

}  // namespace millrace::server
