#include "bench/serve/serve_project.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

std::string plan_text(std::string_view name, std::string_view nodes, std::string_view output) {
  return base::format(
      R"({{"schema_version":1,"name":"{}","nodes":[{}],"outputs":["{}"],"output_keys":["id"]}})",
      name,
      nodes,
      output);
}

}  // namespace

base::Result<ServeProject> ServeProject::make() {
  MR_TRY(std::unique_ptr<TempFolder> folder, TempFolder::make());
  ServeProject project(std::move(folder));
  const std::string source = source_folder();
  MR_TRY_STATUS(copy_folder(source + "/registry", project.file("registry")));
  MR_TRY_STATUS(copy_folder(source + "/data", project.file("data")));
  std::error_code ignored;
  std::filesystem::create_directory(project.file("plans"), ignored);
  return project;
}

std::string ServeProject::file(std::string_view name) const {
  return base::format("{}/{}", path(), name);
}

base::Status ServeProject::put_plan(std::string_view name, std::string_view text) const {
  // Under its name at once, as tools that deploy plans do it.
  const std::string next = file("next");
  MR_TRY_STATUS(write_file(next, text));
  std::error_code problem;
  std::filesystem::rename(next, file(base::format("plans/{}.plan.json", name)), problem);
  if (!problem) return {};
  return base::fail(base::ErrorCode::kUnavailable, problem.message(), next);
}

std::string source_folder() { return MILLRACE_SOURCE_DIR; }

std::string trivial_plan() {
  return plan_text("trivial",
                   R"({"id":"source","op":"fixed_source","inputs":[],"params":{"row_count":20}},)"
                   R"({"id":"first","op":"take","inputs":["source"],"params":{"count":10}})",
                   "first");
}

std::string hour_plan() {
  return plan_text(
      "hour",
      R"({"id":"source","op":"fixed_source","inputs":[],"params":{"row_count":1}},)"
      R"({"id":"wait","op":"sleep","inputs":["source"],"params":{"duration_ms":3600000}})",
      "wait");
}

std::string work_plan(std::string_view name, int busy_ms, int row_count) {
  const std::string nodes = base::format(
      R"({{"id":"source","op":"fixed_source","inputs":[],"params":{{"row_count":{}}}}},)"
      R"({{"id":"wait","op":"sleep","inputs":["source"],"params":{{"duration_ms":20}}}},)"
      R"({{"id":"work","op":"busy_cpu","inputs":["wait"],"params":{{"busy_wait_ms":{}}}}})",
      row_count,
      busy_ms);
  return plan_text(name, nodes, "work");
}

std::string chain_plan(std::string_view name, int node_count) {
  std::string nodes = R"({"id":"n0","op":"fixed_source","inputs":[],"params":{"row_count":20}})";
  for (int index = 1; index < node_count; ++index) {
    nodes += base::format(R"(,{{"id":"n{}","op":"take","inputs":["n{}"],"params":{{"count":{}}}}})",
                          index,
                          index - 1,
                          20 - index);
  }
  return plan_text(name, nodes, base::format("n{}", node_count - 1));
}

}  // namespace millrace::bench
