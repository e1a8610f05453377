#pragma once

#include <cstdint>
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
#include "graph/payload.h"
#include "graph/record/divergence.h"
#include "graph/record/journal_entry.h"
#include "graph/record/record_file.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_result.h"

namespace millrace::graph {

/// What replays in both times have in common: whatever the run does becomes the text that a
/// recorder would write, and is compared with the record.
/// Threading: one thread at a time.
class ComparingJournal : public RunJournal {
 public:
  void begin(const RunTables& tables, const DomainRun& domain) final {
    compare(begin_entry(tables, domain));
  }
  void commit(const RunTables& tables, const InvocationRecord& record) final {
    compare(run_entry(tables, record));
  }
  void refuse(const RunTables& tables, const DomainRun& domain, std::uint32_t edge) final {
    compare(refuse_entry(tables, domain, edge));
  }
  void end(const RunTables& tables, const DomainRun& domain) final {
    compare(end_entry(tables, domain));
  }
  void inject(const RunTables& tables, std::uint32_t component, const Message& message) final {
    compare(inject_entry(tables, component, message));
  }
  // Both happen on threads of a run that is recorded; a replay begins them itself.
  void end_task(const RunTables&, const TaskKey&, Duration, const TaskAnswer&) final {}
  void end_abandoned(const RunTables&, std::uint32_t) final {}

  void compare_end(const RuntimeRunnerResult& result) { compare(complete_entry(result)); }
  [[nodiscard]] std::optional<Divergence> take_divergence() { return std::move(divergence_); }

 protected:
  /// Where a record stands.
  struct EntryPlace {
    std::uint64_t line = 0;
    std::string_view domain = {};
    std::uint64_t epoch = 0;
  };

  /// Compares the next entry with what the run does now, until something differs.
  virtual void compare(const std::string& now) = 0;

  /// Notes how the entry of that place differs from what the run does now, if it does.
  void note_difference(const base::JsonValue& recorded,
                       const std::string& now,
                       const EntryPlace& place) {
    base::JsonDocument ours;
    if (!reader_.read(now, ours)) return;
    divergence_ = find_divergence(recorded, ours.root());
    if (!divergence_) return;
    divergence_->line = place.line;
    if (divergence_->domain.empty()) divergence_->domain = place.domain;
    if (divergence_->epoch == 0) divergence_->epoch = place.epoch;
  }
  [[nodiscard]] bool has_diverged() const { return divergence_.has_value(); }
  [[nodiscard]] base::JsonReader& reader() { return reader_; }

  static base::Result<Payload> unknown_answer() {
    return base::fail(base::ErrorCode::kNotFound, "The record has no answer here");
  }

 private:
  base::JsonReader reader_{record_json_limits()};
  std::optional<Divergence> divergence_;
};

}  // namespace millrace::graph
