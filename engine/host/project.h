#pragma once

#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/extensions.h"
#include "host/settings.h"
#include "plan/compiler.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"
#include "tasks/task_registry.h"

namespace millrace::host {

/// A plan file: its path, its text, and the compiled plan or the problems.
struct PlanFile {
  std::string path;
  std::string text;
  std::expected<plan::CompiledPlanRef, plan::ProblemReport> plan;
};

/// What is on disk: registry, tasks and plans, read and checked.
/// Threading: one thread opens it; after that any thread may read it.
class Project {
 public:
  /// Finds the folders, reads the registry and registers all tasks. Plans come with `load_plans`.
  [[nodiscard]] static std::expected<std::unique_ptr<Project>, StartError> open(
      const Settings& settings, Extensions extensions);

  [[nodiscard]] const plan::Registry& registry() const { return *registry_; }
  [[nodiscard]] const tasks::TaskRegistry& tasks() const { return tasks_; }
  [[nodiscard]] const Extensions& extensions() const { return extensions_; }
  /// The folder that relative paths of data files start from.
  [[nodiscard]] const std::string& root() const { return root_; }
  /// The folder of the registry.
  [[nodiscard]] std::string registry_dir(const Settings& settings) const {
    return settings.registry_dir.empty() ? root_ + "/registry" : settings.registry_dir;
  }
  /// The texts of the three files of the registry, one after another, as they were read.
  [[nodiscard]] const std::string& registry_text() const { return registry_text_; }
  /// The same as they are now.
  [[nodiscard]] std::expected<std::string, StartError> read_registry_text(
      const Settings& settings) const;

  /// The folder that plans are read from.
  [[nodiscard]] std::string plan_dir(const Settings& settings) const {
    return settings.plan_dir.empty() ? root_ + "/plans" : settings.plan_dir;
  }
  /// The paths of the plan files of the folder and of the settings, in order of path.
  [[nodiscard]] std::expected<std::vector<std::string>, StartError> plan_paths(
      const Settings& settings) const;
  /// Compiles every plan file of the folder and of the settings, in order of path.
  [[nodiscard]] std::expected<std::vector<PlanFile>, StartError> load_plans(
      const Settings& settings) const {
    return load_plans(settings, settings.passes);
  }
  /// The same with passes of the caller's choice.
  [[nodiscard]] std::expected<std::vector<PlanFile>, StartError> load_plans(
      const Settings& settings, const plan::CompileOptions& options) const;

 private:
  explicit Project(Extensions extensions) : extensions_(std::move(extensions)) {}
  [[nodiscard]] std::expected<void, StartError> read_registry(const Settings& settings);
  [[nodiscard]] std::expected<void, StartError> register_tasks(const Settings& settings);

  const Extensions extensions_;
  std::string root_;
  std::string registry_text_;
  std::unique_ptr<plan::Registry> registry_;
  tasks::TaskRegistry tasks_;
};

/// Reads a whole file, at most 64 MiB.
[[nodiscard]] std::expected<std::string, StartError> read_text_file(const std::string& path);

}  // namespace millrace::host
