#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "apps/rankd/flags.h"
#include "plan/compiler.h"
#include "plan/problem.h"
#include "plan/registry.h"
#include "tasks/task_registry.h"

namespace millrace::rankd {

/// Why a command could not start; `text` may have several lines.
struct StartError {
  std::string text;
};

/// A plan file and what became of it.
struct PlanFile {
  std::string path;
  std::string text;
  std::expected<plan::CompiledPlanRef, plan::ProblemReport> plan;
};

/// What is on disk: registry, tasks and plans, read and checked.
/// Threading: not shared while it is loaded; then any thread.
class Project {
 public:
  /// Finds the folders, reads the registry and registers all tasks. Plans come with `load_plans`.
  [[nodiscard]] static std::expected<std::unique_ptr<Project>, StartError> open(const Flags& flags);

  [[nodiscard]] const plan::Registry& registry() const { return *registry_; }
  [[nodiscard]] const tasks::TaskRegistry& tasks() const { return tasks_; }
  /// Folder that relative data files belong to.
  [[nodiscard]] const std::string& root() const { return root_; }

  /// Compiles every plan file of the folder and of the flags, in order of path.
  [[nodiscard]] std::expected<std::vector<PlanFile>, StartError> load_plans(
      const Flags& flags, const plan::CompileOptions& options = {}) const;

 private:
  Project() = default;
  [[nodiscard]] std::expected<void, StartError> read_registry(const Flags& flags);
  [[nodiscard]] std::expected<void, StartError> register_tasks(const Flags& flags);
  /// What only a task knows to be wrong with its params.
  [[nodiscard]] plan::ProblemReport refused_by_tasks(const plan::CompiledPlan& plan) const;

  std::string root_;
  std::unique_ptr<plan::Registry> registry_;
  tasks::TaskRegistry tasks_;
};

/// Reads a whole file, at most 64 MiB.
[[nodiscard]] std::expected<std::string, StartError> read_text_file(const std::string& path);

}  // namespace millrace::rankd
