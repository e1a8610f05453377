#include "graph/record/replay.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/payload.h"
#include "graph/record/comparing_journal.h"
#include "graph/record/divergence.h"
#include "graph/record/journal_entry.h"
#include "graph/record/record_file.h"
#include "graph/record/record_line.h"
#include "graph/record/thread_replay.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

/// Compares a run, entry by entry, with a record.
/// Threading: not shared. Lifetime: borrows.
class ReplayJournal final : public ComparingJournal {
 public:
  ReplayJournal(std::istream& stream, const RecordFile& file)
      : lines_(stream), is_stopped_by_host_(file.reason == "stop_requested") {
    advance();  // the header
    advance();
  }

  TaskAnswer run_task(const RunTables& tables,
                      const InvocationRecord& record,
                      const std::function<TaskAnswer()>&) override {
    TaskAnswer answer{.result = unknown_answer()};
    if (is_next("task")) {
      answer.spent = Duration(document_.root().find_member("spent")->find_int().value_or(0));
      answer.result = *read_answer(document_.root());
    }
    compare(task_entry(tables, record, answer));
    return answer;
  }
  base::Result<Payload> ask(const RunTables& tables,
                            const InvocationRecord& record,
                            const std::function<base::Result<Payload>()>&) override {
    base::Result<Payload> answer = unknown_answer();
    if (is_next("ask")) answer = *read_answer(document_.root());
    compare(ask_entry(tables, record, answer));
    return answer;
  }
  std::optional<std::string> read_line(
      const RunTables&,
      const InvocationRecord&,
      const std::function<std::optional<std::string>()>&) override {
    std::optional<std::string> line;
    if (is_next("line")) line = read_line_entry(document_.root());
    compare(line_entry(line));
    return line;
  }

  // Of runs on threads.
  void call(const RunTables&, const InvocationRecord&) override {}
  void resume(const RunTables&, const DomainRun&) override {}
  void hand_over(const RunTables&, const DomainRun&) override {}
  bool sees_stop(const RunTables&, const DomainRun&, bool is_requested) override {
    return is_requested;
  }
  bool admit_task(const RunTables&, const TaskKey&, bool has_room) override { return has_room; }

  [[nodiscard]] std::optional<std::string> problem() const override {
    if (error_) return error_->message();
    if (has_diverged()) return "The replay differs from the record";
    return std::nullopt;
  }
  [[nodiscard]] bool is_over() const override {
    return !error_ && is_stopped_by_host_ && entry_text(document_.root(), "is") == "complete";
  }

  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

 private:
  [[nodiscard]] bool is_next(std::string_view kind) const {
    return !error_ && !has_diverged() && entry_text(document_.root(), "is") == kind;
  }

  void advance() {
    if (error_) return;
    auto text = lines_.next();
    if (!text) {
      error_ = text.error();
    } else if (!*text) {
      text_.clear();
    } else {
      text_ = **std::move(text);
      const auto read = reader().read(text_, document_);
      if (!read) error_.emplace(base::ErrorCode::kInvalidArgument, read.error().message);
    }
  }

  void compare(const std::string& now) override {
    if (error_ || has_diverged()) return;
    if (entry_text(document_.root(), "is") == "begin") {
      domain_ = entry_text(document_.root(), "domain");
      const auto epoch = document_.root().find_member("epoch");
      epoch_ = epoch ? epoch->find_unsigned().value_or(0) : 0;
    }
    if (now != text_) {
      note_difference(
          document_.root(), now, {.line = lines_.line(), .domain = domain_, .epoch = epoch_});
    }
    if (!has_diverged()) advance();
  }

  RecordReader lines_;
  const bool is_stopped_by_host_;
  base::JsonDocument document_;
  std::string text_;
  std::string domain_;
  std::uint64_t epoch_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace

base::Result<ReplayResult> replay(const RecordFile& file,
                                  std::istream& stream,
                                  const CompiledGraph& graph,
                                  const ComponentRegistry& registry,
                                  const ReplayOptions& options) {
  if (!file.options.virtual_time) return replay_threads(file, stream, graph, registry, options);
  ReplayJournal journal(stream, file);
  RuntimeRunnerOptions run_options = file.options;
  run_options.journal = &journal;
  run_options.trace = options.trace;
  run_options.keep_outputs = options.keep_outputs;
  ReplayResult result;
  if (!journal.error()) {
    result.run = RuntimeRunner::run(graph, registry, run_options);
    journal.compare_end(result.run);
  }
  if (journal.error()) return std::unexpected(*journal.error());
  result.first_divergence = journal.take_divergence();
  return result;
}

}  // namespace millrace::graph
