#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bench/rows/contest.h"

namespace millrace::bench {

/// The child process in which DuckDB and Polars run. It reads one order per line:
///
///   `answer ENGINE CASE ROWS`             → numbers on one line
///   `sample ENGINE CASE ROWS MILLISECONDS` → nanoseconds of one operation
///
/// It reads its data from CSV files in `folder`, and answers `error TEXT` if it fails.
/// Threading: not shared.
class RivalProcess {
 public:
  /// Starts node on the driver in `script_folder`, after installing its packages if they are
  /// missing.
  [[nodiscard]] static base::Result<std::unique_ptr<RivalProcess>> start(
      const std::string& script_folder);
  RivalProcess(const RivalProcess&) = delete;
  RivalProcess& operator=(const RivalProcess&) = delete;
  ~RivalProcess();

  /// Where its data files belong.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Makes the contestant of one rival for a case.
  [[nodiscard]] Contestant contestant(const std::string& engine,
                                      const std::string& case_name,
                                      std::size_t rows);

 private:
  RivalProcess() = default;
  [[nodiscard]] base::Status launch(const std::string& script_folder);
  [[nodiscard]] base::Result<Answer> ask(const std::string& order);

  std::string folder_;
  int process_id_ = -1;
  std::FILE* orders_ = nullptr;
  std::FILE* answers_ = nullptr;
};

}  // namespace millrace::bench
