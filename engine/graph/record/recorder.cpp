#include "graph/record/recorder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/formats/json_writer.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/format/graph_file.h"
#include "graph/payload.h"
#include "graph/record/exact_json.h"
#include "graph/record/journal_entry.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {
namespace {

/// The inputs that the run will be given values for, in the order in which they are due. Which of
/// them came is told by entries; the others keep a run from being idle.
std::vector<std::string> planned_injections(const RuntimeRunnerOptions& options) {
  std::vector<std::pair<Duration, std::size_t>> planned;
  for (const TimedInjection& injection : options.injections) {
    planned.emplace_back(injection.at, planned.size());
  }
  std::ranges::sort(planned);
  std::vector<std::string> inputs;
  for (const auto& [at, index] : planned) inputs.push_back(options.injections[index].component);
  return inputs;
}

std::string header_entry(const RecordedGraph& graph, const RuntimeRunnerOptions& options) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member("format", kRecordFormat);
  json.member("version", kRecordVersion);
  json.member("time", options.virtual_time ? "virtual" : "wall");
  json.key("options");
  json.begin_object();
  if (options.steps) json.member("steps", *options.steps);
  if (options.duration) json.member("duration", options.duration->count());
  json.member("until_idle", options.until_idle);
  json.member("hands_over", static_cast<bool>(options.on_output));
  json.key("injections");
  json.begin_array();
  for (const std::string& input : planned_injections(options)) json.value(input);
  json.end_array();
  json.end_object();
  json.key("snapshots");
  json.begin_array();
  for (const ComponentSnapshot& snapshot : options.snapshots) {
    json.begin_object();
    json.member("component", snapshot.component);
    std::string state;
    append_exact_json(state, snapshot.state);
    json.raw_member("state", state);
    json.end_object();
  }
  json.end_array();
  json.member("file", graph.name);
  json.member("syntax", graph.format == TextFormat::kJson ? "json" : "yaml");
  json.member("graph", graph.text);
  json.end_object();
  return text;
}

}  // namespace

base::Status Recorder::open(const std::string& path,
                            const RecordedGraph& graph,
                            const RuntimeRunnerOptions& options) {
  const base::MutexLock lock(mutex_);
  MR_TRY_STATUS(writer_.open(path));
  writer_.add(header_entry(graph, options));
  return {};
}

base::Status Recorder::finish(const RuntimeRunnerResult& result) {
  const base::MutexLock lock(mutex_);
  writer_.add(complete_entry(result));
  writer_.close();
  if (!writer_.problem()) return {};
  return base::fail(base::ErrorCode::kUnavailable, *writer_.problem());
}

void Recorder::add(std::string_view entry) {
  const base::MutexLock lock(mutex_);
  writer_.add(entry);
}

void Recorder::begin(const RunTables& tables, const DomainRun& domain) {
  add(begin_entry(tables, domain));
}

void Recorder::commit(const RunTables& tables, const InvocationRecord& record) {
  add(run_entry(tables, record));
}

void Recorder::refuse(const RunTables& tables, const DomainRun& domain, std::uint32_t edge) {
  add(refuse_entry(tables, domain, edge));
}

void Recorder::end(const RunTables& tables, const DomainRun& domain) {
  add(end_entry(tables, domain));
}

void Recorder::inject(const RunTables& tables, std::uint32_t component, const Message& message) {
  add(inject_entry(tables, component, message));
}

TaskAnswer Recorder::run_task(const RunTables& tables,
                              const InvocationRecord& record,
                              const std::function<TaskAnswer()>& task) {
  TaskAnswer answer = task();
  add(task_entry(tables, record, answer));
  return answer;
}

base::Result<Payload> Recorder::ask(const RunTables& tables,
                                    const InvocationRecord& record,
                                    const std::function<base::Result<Payload>()>& question) {
  base::Result<Payload> answer = question();
  add(ask_entry(tables, record, answer));
  return answer;
}

std::optional<std::string> Recorder::read_line(
    const RunTables& tables,
    const InvocationRecord& record,
    const std::function<std::optional<std::string>()>& read) {
  std::optional<std::string> line = read();
  if (tables.settings.virtual_time) {
    add(line_entry(line));
  } else {
    add(line_entry(line, tables.graph.components[record.component].id, record.call));
  }
  return line;
}

void Recorder::call(const RunTables& tables, const InvocationRecord& record) {
  add(call_entry(tables, record));
}

void Recorder::resume(const RunTables& tables, const DomainRun& domain) {
  add(section_entry(tables, domain, "resume"));
}

void Recorder::hand_over(const RunTables& tables, const DomainRun& domain) {
  add(section_entry(tables, domain, "hand_over"));
}

bool Recorder::sees_stop(const RunTables& tables, const DomainRun& domain, bool is_requested) {
  if (is_requested) add(section_entry(tables, domain, "stop"));
  return is_requested;
}

bool Recorder::admit_task(const RunTables& tables, const TaskKey& key, bool has_room) {
  add(submit_entry(tables, key, has_room));
  return has_room;
}

void Recorder::end_task(const RunTables& tables,
                        const TaskKey& key,
                        Duration at,
                        const TaskAnswer& answer) {
  add(task_end_entry(tables, key, at, answer));
}

void Recorder::end_abandoned(const RunTables& tables, std::uint32_t component) {
  add(returned_entry(tables, component));
}

std::optional<std::string> Recorder::problem() const {
  const base::MutexLock lock(mutex_);
  return writer_.problem();
}

}  // namespace millrace::graph
