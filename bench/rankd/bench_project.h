#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "host/engine.h"
#include "host/project.h"
#include "stores/embedded_store.h"
#include "support/temp_folder.h"

namespace millrace::bench {

/// The lengths of the lists that are read for user 1.
struct DataSize {
  std::int64_t followees = 10;  ///< followees, and the same number of recommendations
  std::int64_t media = 10;      ///< media of each of them
};

/// Makes a project in `folder`: the registry and the plans of this repository, and generated data.
[[nodiscard]] base::Status write_project(const std::string& folder, const DataSize& size);

/// `rankd` on such a project, in this process.
struct BenchEngine {
  std::unique_ptr<TempFolder> folder;
  std::unique_ptr<host::Project> project;
  std::unique_ptr<host::Engine> engine;
  stores::EmbeddedStoreRef store;  ///< the same data, for code that reads it without the engine

  [[nodiscard]] static base::Result<BenchEngine> start(const DataSize& size,
                                                       const std::string& plan_name);
};

}  // namespace millrace::bench
