#include "host/project.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "base/problems/message_text.h"
#include "base/text_file.h"
#include "plan/compiled_plan.h"
#include "plan/problem.h"
#include "rows/column.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/plugin.h"
#include "tasks/prepared_node.h"

namespace millrace::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBytesMax = 64UL << 20;
constexpr std::string_view kPlanSuffix = ".plan.json";
constexpr const char* kRegistryFiles[3] = {"keys.toml", "params.toml", "endpoints.toml"};

bool has_registry(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "registry" / "keys.toml", ignored);
}

// The current folder, or the one that the program was built in. A current folder whose registry
// cannot be read is taken, too: its error is better than the answers of another project.
std::string find_root() {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status("registry", ignored))) return ".";
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (has_registry(folder)) return folder.string();
  }
  return ".";
}

std::expected<std::vector<std::string>, StartError> plan_files(const std::string& folder) {
  std::error_code problem;
  std::vector<std::string> paths;
  fs::directory_iterator entry(folder, problem);
  // The increment of a range-based loop would throw when the folder cannot be read to its end.
  for (; !problem && entry != fs::directory_iterator(); entry.increment(problem)) {
    if (entry->path().string().ends_with(kPlanSuffix)) paths.push_back(entry->path().string());
  }
  if (problem) {
    return std::unexpected(StartError{
        base::format("Cannot read the folder of plans '{}': {}", folder, problem.message())});
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

PlanFile unreadable(std::string path, const StartError& why) {
  plan::ProblemReport report;
  report.add({.code = plan::ProblemCode::kUnreadableFile, .message = why.text});
  return {.path = std::move(path), .text = {}, .plan = std::unexpected(std::move(report))};
}

/// Turns a plan whose name an earlier file has into a problem: which of the two answers would
/// depend on the order of files. A file that is named twice counts once.
void refuse_repeated_names(std::vector<PlanFile>& files) {
  std::map<std::string, std::string, std::less<>> paths;
  std::vector<PlanFile> all = std::exchange(files, {});
  for (PlanFile& each : all) {
    const std::string name = each.plan ? (*each.plan)->name : "";
    const auto first = paths.find(name);
    const bool is_repeated = each.plan && first != paths.end();
    std::error_code ignored;
    if (is_repeated && fs::equivalent(first->second, each.path, ignored)) continue;
    PlanFile& file = files.emplace_back(std::move(each));
    if (file.plan && !is_repeated) paths.emplace(name, file.path);
    if (!is_repeated) continue;
    plan::ProblemReport report;
    report.add({.code = plan::ProblemCode::kDuplicatePlan,
                .path = "name",
                .message = base::format("The plan '{}' is also in {}", name, first->second),
                .hint = "rename one of them, or keep it out of the folder of plans"});
    file.plan = std::unexpected(std::move(report));
  }
}

}  // namespace

std::expected<std::string, StartError> read_text_file(const std::string& path) {
  auto text = base::read_text_file(path, kFileBytesMax);
  if (!text) return std::unexpected(StartError{text.error().message()});
  return *std::move(text);
}

std::expected<std::unique_ptr<Project>, StartError> Project::open(const Settings& settings,
                                                                  Extensions extensions) {
  std::unique_ptr<Project> project(new Project(std::move(extensions)));
  project->root_ = settings.root.empty() ? find_root() : settings.root;
  if (settings.registry_dir.empty() && !has_registry(project->root_)) {
    return std::unexpected(StartError{
        base::format("There is no project in '{}': registry/keys.toml is missing; --root names the "
                     "folder of a project, `dslc init` makes one",
                     base::printable(project->root_))});
  }
  if (auto read = project->read_registry(settings); !read) return std::unexpected(read.error());
  if (auto done = project->register_tasks(settings); !done) return std::unexpected(done.error());
  return project;
}

std::expected<void, StartError> Project::read_registry(const Settings& settings) {
  const std::string folder = registry_dir(settings);
  std::string texts[3];
  for (int index = 0; index < 3; ++index) {
    auto text = read_text_file(base::format("{}/{}", folder, kRegistryFiles[index]));
    if (!text) return std::unexpected(text.error());
    texts[index] = *std::move(text);
    registry_text_.append(texts[index]).push_back('\0');
  }
  auto registry = plan::read_registry({.keys = texts[0], .params = texts[1], .endpoints = texts[2]},
                                      *plan::find_environment(settings.env));
  if (!registry) return std::unexpected(StartError{registry.error().to_text()});
  registry_ = std::make_unique<plan::Registry>(*std::move(registry));
  return {};
}

std::expected<std::string, StartError> Project::read_registry_text(const Settings& settings) const {
  std::string all;
  for (const char* const name : kRegistryFiles) {
    auto text = read_text_file(base::format("{}/{}", registry_dir(settings), name));
    if (!text) return std::unexpected(text.error());
    all.append(*text).push_back('\0');
  }
  return all;
}

std::expected<void, StartError> Project::register_tasks(const Settings& settings) {
  base::Status done = tasks::register_row_tasks(tasks_);
  for (const auto register_tasks : extensions_.tasks) {
    if (done) done = register_tasks(tasks_);
  }
  for (const std::string& plugin : settings.plugins) {
    if (done) done = tasks::load_plugin(plugin, tasks_);
  }
  if (!done) return std::unexpected(StartError{done.error().to_string()});
  return {};
}

std::expected<std::vector<std::string>, StartError> Project::plan_paths(
    const Settings& settings) const {
  std::vector<std::string> paths = settings.plan_files;
  if (settings.plan_files.empty() || !settings.plan_dir.empty()) {
    auto found = plan_files(plan_dir(settings));
    if (!found) return std::unexpected(found.error());
    paths.insert(paths.end(), found->begin(), found->end());
  }
  return paths;
}

std::expected<std::vector<PlanFile>, StartError> Project::load_plans(
    const Settings& settings, const plan::CompileOptions& options) const {
  auto paths = plan_paths(settings);
  if (!paths) return std::unexpected(paths.error());
  std::vector<PlanFile> files;
  for (std::string& path : *paths) {
    if (path.ends_with(".ts")) {
      return std::unexpected(StartError{base::format(
          "'{}' is the source of a plan; `dslc build` makes the .plan.json of it, which can be run",
          base::printable(path))});
    }
    auto text = read_text_file(path);
    if (!text) {
      files.push_back(unreadable(std::move(path), text.error()));
      continue;
    }
    auto compiled = plan::compile_plan(*text, *registry_, tasks_, options);
    files.push_back({std::move(path), *std::move(text), std::move(compiled)});
  }
  refuse_repeated_names(files);
  return files;
}

}  // namespace millrace::host
