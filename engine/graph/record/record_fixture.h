#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "graph/compile/compiled_graph.h"
#include "graph/record/record_file.h"
#include "graph/record/record_line.h"
#include "graph/record/recorder.h"
#include "graph/record/replay.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {

struct RecordedRun {
  RuntimeRunnerResult run = {};
  std::string record = {};
};

/// Records a run, with outputs.
inline RecordedRun record_with(const std::string& text,
                               RuntimeRunnerOptions options,
                               const TestTypes& types) {
  const CompiledGraph graph = types.compile(text);
  options.keep_outputs = true;
  const std::string path =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
  Recorder recorder;
  EXPECT_TRUE(recorder.open(path, {.name = "graph.yaml", .text = text}, options));
  options.journal = &recorder;
  RecordedRun recorded{.run = RuntimeRunner::run(graph, types.registry(), options)};
  EXPECT_TRUE(recorder.finish(recorded.run));
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  recorded.record = content.str();
  std::filesystem::remove(path);
  return recorded;
}

/// Records a run in virtual time, with trace and outputs.
inline RecordedRun record_run(const std::string& text,
                              RuntimeRunnerOptions options,
                              const TestTypes& types = {}) {
  options.virtual_time = options.trace = true;
  if (!options.steps && !options.duration) options.until_idle = true;
  return record_with(text, std::move(options), types);
}

/// Records a run on threads.
inline RecordedRun record_on_threads(const std::string& text,
                                     const RuntimeRunnerOptions& options,
                                     const TestTypes& types = {}) {
  return record_with(text, options, types);
}

inline base::Result<ReplayResult> replay_text(const std::string& record,
                                              const TestTypes& types = {}) {
  std::istringstream first(record);
  MR_TRY(const RecordFile file, read_record(first));
  const CompiledGraph graph = types.compile(file.text);
  std::istringstream second(record);
  return replay(file, second, graph, types.registry(), {.trace = true, .keep_outputs = true});
}

/// The record with its checksums counted anew, as somebody would who wants to deceive.
inline std::string sign_again(const std::string& record) {
  std::istringstream lines(record);
  std::string result;
  RecordChain chain;
  for (std::string line; std::getline(lines, line);) {
    const std::string json = line.substr(17);
    chain.add(json);
    result += base::format("{:016x} {}\n", chain.value(), json);
  }
  return result;
}

inline std::string replaced(std::string text, std::string_view old, std::string_view by) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), by);
}

}  // namespace millrace::graph
