#include "graph/record/replay.h"

#include <algorithm>
#include <cstddef>
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
#include "graph/record/journal_entry.h"
#include "graph/record/record_file.h"
#include "graph/record/record_line.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

constexpr std::size_t kShownBytesMax = 400;

std::string text_of(const base::JsonValue& entry, std::string_view name) {
  const auto member = entry.find_member(name);
  return member ? std::string(member->find_string().value_or("")) : std::string();
}

/// `name: value` of a member, or `name: nothing`.
std::string show_member(const std::optional<base::JsonValue>& member, std::string_view name) {
  std::string text = std::string(name) + ": ";
  text += member ? Payload::from_json(*member).to_json() : "nothing";
  if (text.size() > kShownBytesMax) text.replace(kShownBytesMax, std::string::npos, "...");
  return text;
}

/// Compares a run, entry by entry, with a record.
/// Threading: not shared. Lifetime: borrows.
class ReplayJournal final : public RunJournal {
 public:
  ReplayJournal(std::istream& stream, const RecordFile& file)
      : lines_(stream), is_stopped_by_host_(file.reason == "stop_requested") {
    advance();  // the header
    advance();
  }

  void begin(const RunTables& tables, const DomainRun& domain) override {
    compare(begin_entry(tables, domain));
  }
  void commit(const RunTables& tables, const InvocationRecord& record) override {
    compare(run_entry(tables, record));
  }
  void refuse(const RunTables& tables, const DomainRun& domain, std::uint32_t edge) override {
    compare(refuse_entry(tables, domain, edge));
  }
  void end(const RunTables& tables, const DomainRun& domain) override {
    compare(end_entry(tables, domain));
  }
  void inject(const RunTables& tables, std::uint32_t component, const Message& message) override {
    compare(inject_entry(tables, component, message));
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
      const std::function<std::optional<std::string>()>&) override {
    std::optional<std::string> line;
    if (is_next("line")) line = read_line_entry(document_.root());
    compare(line_entry(line));
    return line;
  }

  [[nodiscard]] std::optional<std::string> problem() const override {
    if (error_) return error_->message();
    if (divergence_) return "The replay differs from the record";
    return std::nullopt;
  }
  [[nodiscard]] bool is_over() const override {
    return !error_ && is_stopped_by_host_ && text_of(document_.root(), "is") == "complete";
  }

  void compare_end(const RuntimeRunnerResult& result) {
    if (!divergence_) compare(complete_entry(result));
  }
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }
  [[nodiscard]] std::optional<Divergence> take_divergence() { return std::move(divergence_); }

 private:
  static base::Result<Payload> unknown_answer() {
    return base::fail(base::ErrorCode::kNotFound, "The record has no answer here");
  }

  [[nodiscard]] bool is_next(std::string_view kind) const {
    return !error_ && !divergence_ && text_of(document_.root(), "is") == kind;
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
      const auto read = reader_.read(text_, document_);
      if (!read) error_.emplace(base::ErrorCode::kInvalidArgument, read.error().message);
    }
  }

  void compare(const std::string& now) {
    if (error_ || divergence_) return;
    if (text_of(document_.root(), "is") == "begin") {
      domain_ = text_of(document_.root(), "domain");
      const auto epoch = document_.root().find_member("epoch");
      epoch_ = epoch ? epoch->find_unsigned().value_or(0) : 0;
    }
    if (now != text_) describe(now);
    if (!divergence_) advance();
  }

  void describe(const std::string& now) {
    base::JsonDocument ours;
    if (!reader_.read(now, ours)) return;
    Divergence found{.domain = text_of(ours.root(), "domain"), .line = lines_.line()};
    if (found.domain.empty()) found.domain = domain_;
    const auto epoch = ours.root().find_member("epoch");
    found.epoch = epoch ? epoch->find_unsigned().value_or(epoch_) : epoch_;
    const auto differs = [](std::optional<base::JsonValue> a, std::optional<base::JsonValue> b) {
      return !a || !b || Payload::from_json(*a).to_json() != Payload::from_json(*b).to_json();
    };
    std::string name = "is";
    const auto look = [&](const base::JsonValue& from, const base::JsonValue& other) {
      for (const base::JsonValue member : from.children()) {
        if (!differs(member, other.find_member(member.key()))) continue;
        name = std::string(member.key());
        return true;
      }
      return false;
    };
    const bool is_other =
        look(document_.root(), ours.root()) || look(ours.root(), document_.root());
    if (!is_other) return;
    found.recorded = show_member(document_.root().find_member(name), name);
    found.now = show_member(ours.root().find_member(name), name);
    found.place = place_of(name, ours.root());
    divergence_ = std::move(found);
  }

  /// The component or edge to blame: of a boundary the first message that differs.
  [[nodiscard]] std::string place_of(std::string_view name, const base::JsonValue& ours) const {
    const auto recorded_list = document_.root().find_member("took");
    const auto list_now = ours.find_member("took");
    if (name == "took" && recorded_list && list_now) {
      const Payload recorded = Payload::from_json(*recorded_list);
      const Payload now = Payload::from_json(*list_now);
      for (std::size_t i = 0; i < std::max(recorded.items().size(), now.items().size()); ++i) {
        const Payload left = i < recorded.items().size() ? recorded.items()[i] : Payload();
        const Payload right = i < now.items().size() ? now.items()[i] : Payload();
        if (left == right) continue;
        const std::string_view id =
            left.find_text().value_or(right.find_text().value_or(std::string_view()));
        return std::string(id.substr(0, id.rfind('#')));
      }
    }
    for (const char* member : {"component", "edge"}) {
      if (std::string id = text_of(document_.root(), member); !id.empty()) return id;
      if (std::string id = text_of(ours, member); !id.empty()) return id;
    }
    return text_of(document_.root(), "is");
  }

  RecordReader lines_;
  const bool is_stopped_by_host_;
  base::JsonReader reader_{record_json_limits()};
  base::JsonDocument document_;
  std::string text_;
  std::string domain_;
  std::uint64_t epoch_ = 0;
  std::optional<base::Error> error_;
  std::optional<Divergence> divergence_;
};

}  // namespace

base::Result<ReplayResult> replay(const RecordFile& file,
                                  std::istream& stream,
                                  const CompiledGraph& graph,
                                  const ComponentRegistry& registry,
                                  const ReplayOptions& options) {
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
