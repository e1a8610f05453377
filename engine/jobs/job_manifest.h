#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace millrace::jobs {

/// What a job is. Stored once with its results.
struct JobManifest {
  std::uint64_t line_count = 0;
  std::string digest = {};  ///< of the input, `sha256:…`
  std::string plan = {};    ///< of requests that name none; empty: they all do

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static base::Result<JobManifest> read(std::string_view json);

  friend bool operator==(const JobManifest&, const JobManifest&) = default;
};

}  // namespace millrace::jobs
