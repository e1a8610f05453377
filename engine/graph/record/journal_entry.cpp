#include "graph/record/journal_entry.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/payload.h"
#include "graph/record/exact_json.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {
namespace {

constexpr std::size_t kValueBytesMax = 256;

bool is_beyond_ascii(char byte) { return static_cast<unsigned char>(byte) > 0x7F; }

/// Begins an entry and ends it.
class EntryText {
 public:
  explicit EntryText(std::string_view kind) : json_(text_) {
    json_.begin_object();
    json_.member("is", kind);
  }
  EntryText(const EntryText&) = delete;
  EntryText& operator=(const EntryText&) = delete;
  [[nodiscard]] base::JsonWriter& json() { return json_; }
  void add_value(std::string_view name, const Payload& value) {
    std::string text;
    append_exact_json(text, value);
    json_.raw_member(name, text);
  }
  /// The value, or its digest if it is long.
  void add_short_value(std::string_view name, const Payload& value) {
    std::string text;
    append_exact_json(text, value);
    if (text.size() <= kValueBytesMax) return json_.raw_member(name, text);
    json_.member(name, base::sha256_digest(text));
  }
  void add_answer(const base::Result<Payload>& answer) {
    if (answer) return add_value("value", *answer);
    json_.key("error");
    json_.begin_array();
    json_.value(static_cast<std::uint64_t>(answer.error().code()));
    json_.value(std::string_view(answer.error().message()));
    json_.value(std::string_view(answer.error().where()));
    json_.end_array();
  }
  [[nodiscard]] std::string finish() {
    json_.end_object();
    return std::move(text_);
  }

 private:
  std::string text_;
  base::JsonWriter json_;
};

void add_domain(const RunTables& tables, const DomainRun& domain, EntryText& entry) {
  entry.json().member("domain", tables.graph.domains[domain.index].id);
  entry.json().member("epoch", domain.epoch);
}

void add_call(const RunTables& tables,
              std::uint32_t component,
              std::uint64_t call,
              EntryText& entry) {
  entry.json().member("component", tables.graph.components[component].id);
  entry.json().member("call", call);
}

void add_published(const RunTables& tables, const InvocationRecord& record, EntryText& entry) {
  base::JsonWriter& json = entry.json();
  json.key("published");
  json.begin_array();
  for (const StagedPublication& publication : record.published) {
    json.begin_object();
    json.member("port", tables.components[record.component].output_names[publication.output]);
    entry.add_short_value("value", publication.value);
    if (publication.has_event_time) json.member("event_time", publication.event_time.count());
    json.end_object();
  }
  json.end_array();
}

void add_effects(const RunTables& tables, const InvocationRecord& record, EntryText& entry) {
  base::JsonWriter& json = entry.json();
  if (!record.writes.empty()) {
    json.key("wrote");
    json.begin_array();
    for (const StagedWrite& write : record.writes) {
      json.begin_object();
      json.member("table", write.table);
      json.member("key", write.key);
      entry.add_short_value("value", write.value);
      json.end_object();
    }
    json.end_array();
  }
  if (record.for_host.empty()) return;
  json.key("gave");
  json.begin_array();
  for (const InputMessage& input : record.for_host) {
    json.begin_object();
    json.member("correlation", tables.correlation_text(input.message.correlation));
    entry.add_short_value("value", input.message.value);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string begin_entry(const RunTables& tables, const DomainRun& domain) {
  EntryText entry("begin");
  add_domain(tables, domain, entry);
  entry.json().member("time", domain.now.count());
  entry.json().key("took");
  entry.json().begin_array();
  for (const ArrivalItem& item : domain.arrivals) {
    const std::string& place = item.edge == kNoIndex ? tables.graph.components[item.component].id
                                                     : tables.graph.edges[item.edge].id;
    entry.json().value(place + "#" + std::to_string(item.number));
  }
  entry.json().end_array();
  if (tables.lines != nullptr) entry.json().member("has_lines", tables.lines->is_ready());
  return entry.finish();
}

std::string run_entry(const RunTables& tables, const InvocationRecord& record) {
  const CompiledComponent& component = tables.graph.components[record.component];
  EntryText entry("run");
  entry.json().member("domain", tables.graph.domains[component.domain].id);
  entry.json().member("epoch", record.epoch);
  entry.json().member("component", component.id);
  entry.json().member("begin", record.begin.count());
  entry.json().member("spent", record.spent.count());
  add_published(tables, record, entry);
  add_effects(tables, record, entry);
  return entry.finish();
}

std::string refuse_entry(const RunTables& tables, const DomainRun& domain, std::uint32_t edge) {
  EntryText entry("refuse");
  add_domain(tables, domain, entry);
  entry.json().member("edge", tables.graph.edges[edge].id);
  return entry.finish();
}

std::string end_entry(const RunTables& tables, const DomainRun& domain) {
  EntryText entry("end");
  add_domain(tables, domain, entry);
  entry.json().member("time", domain.now.count());
  return entry.finish();
}

std::string inject_entry(const RunTables& tables, std::uint32_t component, const Message& message) {
  EntryText entry("inject");
  entry.json().member("component", tables.graph.components[component].id);
  entry.json().member("time", message.published_at.count());
  if (message.has_event_time) entry.json().member("event_time", message.event_time.count());
  entry.add_value("value", message.value);
  return entry.finish();
}

std::string task_entry(const RunTables& tables,
                       const InvocationRecord& record,
                       const TaskAnswer& answer) {
  EntryText entry("task");
  entry.json().member("component", tables.graph.components[record.component].id);
  entry.json().member("spent", answer.spent.count());
  entry.add_answer(answer.result);
  return entry.finish();
}

std::string ask_entry(const RunTables& tables,
                      const InvocationRecord& record,
                      const base::Result<Payload>& answer) {
  EntryText entry("ask");
  add_call(tables, record.component, record.call, entry);
  entry.add_answer(answer);
  return entry.finish();
}

std::string line_entry(const std::optional<std::string>& line,
                       std::string_view component,
                       std::uint64_t call) {
  EntryText entry("line");
  if (call > 0) {
    entry.json().member("component", component);
    entry.json().member("call", call);
  }
  if (!line) return entry.finish();
  const bool is_plain = std::ranges::none_of(*line, is_beyond_ascii);
  if (is_plain) {
    entry.json().member("text", *line);
    return entry.finish();
  }
  // A line need not be UTF-8, and what it is must not be lost.
  std::string bytes;
  for (const char byte : *line) bytes += base::format("{:02x}", static_cast<unsigned char>(byte));
  entry.json().member("bytes", bytes);
  return entry.finish();
}

std::string call_entry(const RunTables& tables, const InvocationRecord& record) {
  const CompiledComponent& component = tables.graph.components[record.component];
  EntryText entry("call");
  entry.json().member("domain", tables.graph.domains[component.domain].id);
  entry.json().member("epoch", record.epoch);
  add_call(tables, record.component, record.call, entry);
  entry.json().member("begin", record.begin.count());
  entry.json().member("spent", record.spent.count());
  if (record.worker != kNoIndex) entry.json().member("worker", record.worker);
  if (record.was_cancelled) entry.json().member("was_cancelled", true);
  if (record.told_at > 0) entry.json().member("told_at", record.told_at);
  if (record.is_abandoned) entry.json().member("is_abandoned", true);
  return entry.finish();
}

std::string section_entry(const RunTables& tables, const DomainRun& domain, std::string_view kind) {
  EntryText entry(kind);
  add_domain(tables, domain, entry);
  if (kind == "resume") entry.json().member("time", domain.now.count());
  return entry.finish();
}

std::string submit_entry(const RunTables& tables, const TaskKey& key, bool has_room) {
  EntryText entry("submit");
  add_call(tables, key.component, key.call, entry);
  entry.json().member("number", key.number);
  entry.json().member("has_room", has_room);
  return entry.finish();
}

std::string task_end_entry(const RunTables& tables,
                           const TaskKey& key,
                           Duration at,
                           const TaskAnswer& answer) {
  EntryText entry("task");
  add_call(tables, key.component, key.call, entry);
  entry.json().member("number", key.number);
  entry.json().member("time", at.count());
  entry.json().member("spent", answer.spent.count());
  entry.add_answer(answer.result);
  return entry.finish();
}

std::string returned_entry(const RunTables& tables, std::uint32_t component) {
  EntryText entry("returned");
  entry.json().member("component", tables.graph.components[component].id);
  return entry.finish();
}

std::optional<std::string> read_line_entry(const base::JsonValue& entry) {
  if (const auto text = entry.find_member("text")) {
    return std::string(text->find_string().value_or(""));
  }
  const auto bytes = entry.find_member("bytes");
  if (!bytes) return std::nullopt;
  const std::string_view digits = bytes->find_string().value_or("");
  std::string line;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    line += static_cast<char>(byte);
  }
  return line;
}

std::string complete_entry(const RuntimeRunnerResult& result) {
  EntryText entry("complete");
  base::JsonWriter& json = entry.json();
  json.member("ok", result.ok);
  json.member("reason", to_string(result.scheduler_stop_reason));
  json.member("invocations", result.invocations);
  json.key("epochs");
  json.begin_object();
  for (const DomainEpochs& domain : result.epochs) json.member(domain.domain, domain.epochs);
  json.end_object();
  json.key("errors");
  json.begin_array();
  for (const RunError& error : result.errors) {
    json.begin_object();
    json.member("component", error.component);
    json.member("code", error.code);
    json.member("message", error.message);
    json.end_object();
  }
  json.end_array();
  return entry.finish();
}

std::optional<base::Result<Payload>> read_answer(const base::JsonValue& entry) {
  if (const auto value = entry.find_member("value")) {
    return base::Result<Payload>(read_exact_json(*value));
  }
  const auto error = entry.find_member("error");
  if (!error || error->size() != 3 || !error->is(base::JsonKind::kArray)) return std::nullopt;
  auto part = error->children().begin();
  const auto code = (*part).find_unsigned();
  const auto message = (*++part).find_string();
  const auto where = (*++part).find_string();
  const bool is_code = code && *code <= static_cast<std::uint64_t>(base::ErrorCode::kInternal);
  if (!is_code || !message || !where) return std::nullopt;
  return base::Result<Payload>(
      base::fail(static_cast<base::ErrorCode>(*code), std::string(*message), std::string(*where)));
}

}  // namespace millrace::graph
