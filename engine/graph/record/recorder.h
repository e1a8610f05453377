#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/format/graph_file.h"
#include "graph/payload.h"
#include "graph/record/record_line.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

inline constexpr std::string_view kRecordFormat = "millrace-graph-record";
/// Must change whenever programs of before would misread a record.
inline constexpr std::uint32_t kRecordVersion = 2;

/// The graph that is recorded, so that a record can be replayed without the file.
struct RecordedGraph {
  std::string_view name;  ///< of the file
  std::string_view text;
  TextFormat format = TextFormat::kYaml;
};

/// Writes a run into a file. It never drops anything: the run waits for the file, and ends with an
/// error if the file cannot be written.
/// Threading: any thread.
class Recorder final : public RunJournal {
 public:
  /// Begins the file. The options are those of the run.
  [[nodiscard]] base::Status open(const std::string& path,
                                  const RecordedGraph& graph,
                                  const RuntimeRunnerOptions& options);
  /// Ends the file with how the run went. Fails if not all of it could be written.
  [[nodiscard]] base::Status finish(const RuntimeRunnerResult& result);

  void begin(const RunTables& tables, const DomainRun& domain) override;
  void commit(const RunTables& tables, const InvocationRecord& record) override;
  void refuse(const RunTables& tables, const DomainRun& domain, std::uint32_t edge) override;
  void end(const RunTables& tables, const DomainRun& domain) override;
  void inject(const RunTables& tables, std::uint32_t component, const Message& message) override;
  [[nodiscard]] TaskAnswer run_task(const RunTables& tables,
                                    const InvocationRecord& record,
                                    const std::function<TaskAnswer()>& task) override;
  [[nodiscard]] base::Result<Payload> ask(
      const RunTables& tables,
      const InvocationRecord& record,
      const std::function<base::Result<Payload>()>& question) override;
  [[nodiscard]] std::optional<std::string> read_line(
      const RunTables& tables,
      const InvocationRecord& record,
      const std::function<std::optional<std::string>()>& read) override;
  void call(const RunTables& tables, const InvocationRecord& record) override;
  void resume(const RunTables& tables, const DomainRun& domain) override;
  void hand_over(const RunTables& tables, const DomainRun& domain) override;
  [[nodiscard]] bool sees_stop(const RunTables& tables,
                               const DomainRun& domain,
                               bool is_requested) override;
  [[nodiscard]] bool admit_task(const RunTables& tables,
                                const TaskKey& key,
                                bool has_room) override;
  void end_task(const RunTables& tables,
                const TaskKey& key,
                Duration at,
                const TaskAnswer& answer) override;
  void end_abandoned(const RunTables& tables, std::uint32_t component) override;
  [[nodiscard]] std::optional<std::string> problem() const override;
  [[nodiscard]] bool is_over() const override { return false; }

 private:
  void add(std::string_view entry);

  mutable base::Mutex mutex_;
  RecordWriter writer_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::graph
