#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/serve_project.h"

namespace millrace::bench {

/// `rankd serve` with a plan `work` that waits 20 ms and computes for 1 ms, and `double_work`,
/// which computes for 2 ms. One worker, so that the capacity is known. Threading: not shared.
class WorkServer {
 public:
  [[nodiscard]] static base::Result<WorkServer> start();

  [[nodiscard]] const RankdProcess& process() const { return *process_; }
  [[nodiscard]] const ServeProject& project() const { return project_; }
  /// The most answers per second that it gives, found by open loads around what it can.
  [[nodiscard]] base::Result<double> find_peak(bool is_smoke) const;

 private:
  WorkServer(ServeProject project, std::unique_ptr<RankdProcess> process)
      : project_(std::move(project)), process_(std::move(process)) {}
  ServeProject project_;
  std::unique_ptr<RankdProcess> process_;
};

}  // namespace millrace::bench
