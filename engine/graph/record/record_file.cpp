#include "graph/record/record_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "graph/body/message.h"
#include "graph/record/exact_json.h"
#include "graph/record/journal_entry.h"
#include "graph/record/record_line.h"
#include "graph/record/recorder.h"
#include "graph/run/run_options.h"

namespace millrace::graph {
namespace {

/// Times of a record are below this, so that sums of two have no overflow.
constexpr std::int64_t kRecordTimeMax = INT64_MAX / 4;

constexpr auto kKinds = std::to_array<std::string_view>({"begin",
                                                         "run",
                                                         "refuse",
                                                         "end",
                                                         "inject",
                                                         "task",
                                                         "ask",
                                                         "line",
                                                         "call",
                                                         "hand_over",
                                                         "resume",
                                                         "stop",
                                                         "submit",
                                                         "returned",
                                                         "complete"});

/// Reads and checks the lines of one record.
class RecordFileReader {
 public:
  explicit RecordFileReader(std::istream& stream) : lines_(stream) {}

  base::Result<RecordFile> read() {
    MR_TRY(bool is_there, read_entry());
    if (!is_there) return refuse("The file is empty");
    MR_TRY_STATUS(read_header(document_.root()));
    while (true) {
      MR_TRY(is_there, read_entry());
      if (!is_there) {
        return refuse(
            "The record does not say that it is complete: the run was interrupted, or "
            "the file was cut");
      }
      const base::JsonValue entry = document_.root();
      const std::string_view kind = text_of(entry, "is");
      if (std::ranges::find(kKinds, kind) == kKinds.end()) {
        return refuse(base::format("Unknown kind of entry '{}'", kind));
      }
      if (kind == "complete") break;
      ++file_.entry_count;
      MR_TRY_STATUS(check_entry(entry, kind));
    }
    add_injections_to_come();
    file_.reason = std::string(text_of(document_.root(), "reason"));
    if (file_.reason.empty()) return refuse("The last entry does not say why the run ended");
    MR_TRY(is_there, read_entry());
    if (is_there) return refuse("There are lines after the one that ends the record");
    return std::move(file_);
  }

 private:
  [[nodiscard]] std::unexpected<base::Error> refuse(std::string message) const {
    return base::fail(base::ErrorCode::kInvalidArgument, std::move(message), lines_.place());
  }

  /// False at the end of the file.
  base::Result<bool> read_entry() {
    MR_TRY(const std::optional<std::string> text, lines_.next());
    if (!text) return false;
    if (const auto read = reader_.read(*text, document_); !read) {
      return refuse(base::format("Not an entry of a record: {}", read.error().message));
    }
    if (!document_.root().is(base::JsonKind::kObject)) {
      return refuse("Not an entry of a record: not an object");
    }
    return true;
  }

  static std::string_view text_of(const base::JsonValue& entry, std::string_view name) {
    const auto member = entry.find_member(name);
    return member ? member->find_string().value_or("") : "";
  }

  base::Status read_header(const base::JsonValue& header) {
    if (text_of(header, "format") != kRecordFormat) {
      return refuse("Not a record of a graph's run");
    }
    const auto version = header.find_member("version");
    if (!version || version->find_unsigned() != kRecordVersion) {
      return refuse(base::format("The record has another version than {}, which this program reads",
                                 kRecordVersion));
    }
    const std::string_view time = text_of(header, "time");
    if (time != "virtual" && time != "wall") return refuse("The record does not say in which time");
    file_.name = std::string(text_of(header, "file"));
    file_.text = std::string(text_of(header, "graph"));
    file_.format = text_of(header, "syntax") == "json" ? TextFormat::kJson : TextFormat::kYaml;
    file_.options.virtual_time = time == "virtual";
    return read_options(header);
  }

  base::Status read_options(const base::JsonValue& header) {
    const auto options = header.find_member("options");
    if (!options) return refuse("The record does not say how far the run went");
    if (const auto steps = options->find_member("steps")) {
      if (!steps->find_unsigned()) return refuse("The number of steps is not a count");
      file_.options.steps = steps->find_unsigned();
    }
    if (const auto duration = options->find_member("duration")) {
      const auto count = duration->find_int();
      if (!count || *count < 0) return refuse("The duration is not a count of nanoseconds");
      file_.options.duration = Duration(*count);
    }
    const auto hands_over = options->find_member("hands_over");
    file_.hands_over = hands_over && hands_over->find_bool() == true;
    if (const auto injections = options->find_member("injections")) {
      for (const base::JsonValue input : injections->children()) {
        planned_injections_.emplace_back(input.find_string().value_or(""));
      }
    }
    const auto until_idle = options->find_member("until_idle");
    file_.options.until_idle = until_idle && until_idle->find_bool() == true;
    const auto snapshots = header.find_member("snapshots");
    if (!snapshots || !snapshots->is(base::JsonKind::kArray)) {
      return refuse("The record lacks the snapshots of the run");
    }
    for (const base::JsonValue snapshot : snapshots->children()) {
      const auto state = snapshot.find_member("state");
      if (!state) return refuse("A snapshot has no state");
      file_.options.snapshots.push_back({.component = std::string(text_of(snapshot, "component")),
                                         .state = read_exact_json(*state)});
    }
    return {};
  }

  base::Status check_entry(const base::JsonValue& entry, std::string_view kind) {
    for (const char* name : {"time", "begin", "spent"}) {
      const auto member = entry.find_member(name);
      if (!member) continue;
      const std::int64_t time = member->find_int().value_or(-1);
      if (time < 0 || time > kRecordTimeMax)
        return refuse(base::format("'{}' is not a time of a run", name));
    }
    if (kind == "task" || kind == "ask") {
      if (!read_answer(entry)) return refuse("The entry holds no answer");
      const auto spent = entry.find_member("spent");
      if (kind == "task" && (!spent || spent->find_int().value_or(-1) < 0)) {
        return refuse("The entry does not say how long the task took");
      }
    }
    return kind == "inject" ? read_injection(entry) : base::Status();
  }

  base::Status read_injection(const base::JsonValue& entry) {
    const auto time = entry.find_member("time");
    const auto value = entry.find_member("value");
    if (!time || time->find_int().value_or(-1) < 0 || !value) {
      return refuse("An injection needs a time and a value");
    }
    if (file_.options.injections.size() == kRecordInjectionsMax) {
      return refuse(base::format("More than {} injections", kRecordInjectionsMax));
    }
    TimedInjection& injection = file_.options.injections.emplace_back(
        TimedInjection{.at = Duration(*time->find_int()),
                       .component = std::string(text_of(entry, "component")),
                       .value = read_exact_json(*value)});
    const auto event_time = entry.find_member("event_time");
    if (event_time && event_time->find_int()) {
      injection.event_time = Duration(*event_time->find_int());
    }
    return {};
  }

  /// Those that the run had not been given when it ended. They never come in a replay either, but
  /// keep it from being idle.
  void add_injections_to_come() {
    std::vector<TimedInjection>& injections = file_.options.injections;
    for (std::size_t i = injections.size(); i < planned_injections_.size(); ++i) {
      injections.push_back(
          {.at = Duration::max(), .component = planned_injections_[i], .value = Payload()});
    }
  }

  std::vector<std::string> planned_injections_;
  RecordReader lines_;
  base::JsonReader reader_{record_json_limits()};
  base::JsonDocument document_;
  RecordFile file_;
};

}  // namespace

base::JsonLimits record_json_limits() {
  // Values may be nested as deep as payloads, inside the lists of an entry.
  return {.text_bytes_max = kRecordLineBytesMax,
          .string_bytes_max = kRecordLineBytesMax,
          .depth_max = kPayloadDepthMax + 8};
}

base::Result<RecordFile> read_record(std::istream& stream) {
  return RecordFileReader(stream).read();
}

}  // namespace millrace::graph
