#include "apps/topoexec/record_commands.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <ios>
#include <string>
#include <utility>

#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/outcome.h"
#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/record/record_file.h"
#include "graph/record/recorder.h"
#include "graph/record/replay.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::topoexec {
namespace {

constexpr int kDiffers = 1;
constexpr int kBadRecord = 2;

Outcome bad_record(const Flags& flags, const base::Error& error) {
  return {
      .exit_code = kBadRecord,
      .out = {},
      .err = base::format("topoexec: {}: {}: {}\n", flags.file, error.where(), error.message())};
}

void write_replay(const graph::ReplayResult& result, base::JsonWriter& json) {
  json.begin_object();
  json.member("ok", result.is_same());
  json.key("epochs");
  json.begin_object();
  for (const graph::DomainEpochs& domain : result.run.epochs) {
    json.member(domain.domain, domain.epochs);
  }
  json.end_object();
  if (!result.is_same()) {
    const graph::Divergence& first = *result.first_divergence;
    json.key("first_divergence");
    json.begin_object();
    json.member("domain", first.domain);
    json.member("epoch", first.epoch);
    json.member("place", first.place);
    json.member("recorded", first.recorded);
    json.member("now", first.now);
    json.member("line", first.line);
    json.end_object();
  }
  json.end_object();
}

std::string replay_text(const Flags& flags, const graph::ReplayResult& result) {
  if (result.is_same()) return base::format("{}: the same as recorded\n", flags.file);
  const graph::Divergence& first = *result.first_divergence;
  return base::format("{}:{}: differs in epoch {} of {}, at {}\n  recorded  {}\n  now       {}\n",
                      flags.file,
                      first.line,
                      first.epoch,
                      first.domain,
                      first.place,
                      first.recorded,
                      first.now);
}

}  // namespace

base::Result<graph::RuntimeRunnerResult> run_and_record(const GraphInput& input,
                                                        graph::RuntimeRunnerOptions options) {
  if (input.flags.record.empty()) {
    return graph::RuntimeRunner::run(input.graph, input.types, options);
  }
  graph::Recorder recorder;
  const graph::RecordedGraph recorded{
      .name = input.flags.file, .text = input.text, .format = graph::format_of(input.flags.file)};
  MR_TRY_STATUS(recorder.open(input.flags.record, recorded, options));
  options.journal = &recorder;
  graph::RuntimeRunnerResult result = graph::RuntimeRunner::run(input.graph, input.types, options);
  const base::Status finished = recorder.finish(result);
  if (finished || !result.ok) return result;
  result.ok = false;
  result.scheduler_stop_reason = graph::SchedulerStopReason::kError;
  result.errors.push_back({.phase = "commit",
                           .component = {},
                           .lane = {},
                           .code = "record_failed",
                           .message = finished.error().message()});
  return result;
}

Outcome replay_record(const Flags& flags, const graph::ComponentRegistry& types) {
  errno = 0;
  std::ifstream stream(flags.file, std::ios::binary);
  if (!stream) {
    return bad_record(
        flags,
        base::Error(base::ErrorCode::kNotFound, std::strerror(errno), "cannot open the record"));
  }
  const auto file = graph::read_record(stream);
  if (!file) return bad_record(flags, file.error());
  const auto compiled = graph::compile_text(file->text, file->format, types, flags.limits);
  if (!compiled.graph) {
    return {.exit_code = kBadRecord, .out = {}, .err = compiled.report.to_text(file->name)};
  }
  const base::Status checked = graph::check_options(*compiled.graph, file->options);
  if (!checked) return bad_record(flags, checked.error());
  stream.clear();
  stream.seekg(0);
  const auto result = graph::replay(*file, stream, *compiled.graph, types);
  if (!result) return bad_record(flags, result.error());
  Outcome outcome{.exit_code = result->is_same() ? 0 : kDiffers, .out = {}, .err = {}};
  if (flags.format != Format::kJson) {
    outcome.out = replay_text(flags, *result);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  write_replay(*result, json);
  outcome.out += '\n';
  return outcome;
}

}  // namespace millrace::topoexec
