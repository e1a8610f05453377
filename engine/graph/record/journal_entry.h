#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/formats/json_document.h"
#include "base/result.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/payload.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"

// What a record says, one JSON object per entry. A recorder writes these texts and a replay
// compares them, so that there is one place that decides what must be equal.
//
// - begin: domain, epoch, time, and the messages that became visible (`took`)
// - run: an invocation that was committed: when it began, how long it took, what it published,
//   wrote and gave to the host
// - refuse: an edge that refused a publication
// - end: domain, epoch, time
// - inject, task, ask, line: what came from outside
// - call, hand_over, resume, stop, submit, returned: of runs on threads, see `RunJournal`
// - complete: how the run ended
//
// Times are nanoseconds. Values of more than 256 bytes that the run itself made are replaced by
// their SHA-256.

namespace millrace::graph {

[[nodiscard]] std::string begin_entry(const RunTables& tables, const DomainRun& domain);
[[nodiscard]] std::string run_entry(const RunTables& tables, const InvocationRecord& record);
[[nodiscard]] std::string refuse_entry(const RunTables& tables,
                                       const DomainRun& domain,
                                       std::uint32_t edge);
[[nodiscard]] std::string end_entry(const RunTables& tables, const DomainRun& domain);
[[nodiscard]] std::string inject_entry(const RunTables& tables,
                                       std::uint32_t component,
                                       const Message& message);
[[nodiscard]] std::string task_entry(const RunTables& tables,
                                     const InvocationRecord& record,
                                     const TaskAnswer& answer);
[[nodiscard]] std::string ask_entry(const RunTables& tables,
                                    const InvocationRecord& record,
                                    const base::Result<Payload>& answer);
/// By which invocation of which component, in runs on threads; else lines are read one by one.
[[nodiscard]] std::string line_entry(const std::optional<std::string>& line,
                                     std::string_view component = {},
                                     std::uint64_t call = 0);
[[nodiscard]] std::string call_entry(const RunTables& tables, const InvocationRecord& record);
/// `hand_over`, `resume` or `stop`.
[[nodiscard]] std::string section_entry(const RunTables& tables,
                                        const DomainRun& domain,
                                        std::string_view kind);
[[nodiscard]] std::string submit_entry(const RunTables& tables, const TaskKey& key, bool has_room);
[[nodiscard]] std::string task_end_entry(const RunTables& tables,
                                         const TaskKey& key,
                                         Duration at,
                                         const TaskAnswer& answer);
[[nodiscard]] std::string returned_entry(const RunTables& tables, std::uint32_t component);
[[nodiscard]] std::string complete_entry(const RuntimeRunnerResult& result);

/// The line that a `line` entry holds; nothing at the end of the input.
[[nodiscard]] std::optional<std::string> read_line_entry(const base::JsonValue& entry);
/// The answer that a `task` or `ask` entry holds; nothing if the entry is malformed.
[[nodiscard]] std::optional<base::Result<Payload>> read_answer(const base::JsonValue& entry);

}  // namespace millrace::graph
