#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "support/temp_folder.h"

namespace millrace::bench {

/// A folder with the registry and data of this repository and the plans of a measurement.
/// Threading: not shared.
class ServeProject {
 public:
  [[nodiscard]] static base::Result<ServeProject> make();

  [[nodiscard]] const std::string& path() const { return folder_->path(); }
  [[nodiscard]] std::string file(std::string_view name) const;
  [[nodiscard]] base::Status put_plan(std::string_view name, std::string_view text) const;

 private:
  explicit ServeProject(std::unique_ptr<TempFolder> folder) : folder_(std::move(folder)) {}
  std::unique_ptr<TempFolder> folder_;
};

/// The folder of this repository, with plans, registry and data.
[[nodiscard]] std::string source_folder();
/// Rows from a source, and the first ten of them.
[[nodiscard]] std::string trivial_plan();
/// A plan that waits an hour and so keeps the place of its request: `hour`.
[[nodiscard]] std::string hour_plan();
/// Waits 20 ms and computes for so many ms. `row_count` tells versions apart.
[[nodiscard]] std::string work_plan(std::string_view name, int busy_ms, int row_count);
/// A chain of nodes.
[[nodiscard]] std::string chain_plan(std::string_view name, int node_count);

/// What clients ask for.
inline constexpr std::string_view kRankBody =
    R"({"user_id":1,"limit":10,"request_id":"bench-0001"})";

}  // namespace millrace::bench
