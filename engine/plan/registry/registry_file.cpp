#include "plan/registry/registry_file.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/formats/toml_reader.h"
#include "base/problems/message_text.h"

namespace millrace::plan {

namespace {

constexpr std::size_t kNameBytesMax = 64;

bool is_name(std::string_view name) {
  const auto allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  };
  return !name.empty() && name.size() <= kNameBytesMax && std::ranges::all_of(name, allowed) &&
         (name[0] < '0' || name[0] > '9');
}

}  // namespace

RegistryFile::RegistryFile(std::string name, std::string_view text, ProblemReport& report)
    : reporter_(document_, report, reader_codes(), name) {
  std::expected<base::JsonDocument, base::TomlProblem> read = base::read_toml(text);
  is_toml_ = read.has_value();
  if (is_toml_) {
    document_ = *std::move(read);
    return;
  }
  report.add({.code = ProblemCode::kBadToml,
              .file = std::move(name),
              .line = read.error().place.line,
              .column = read.error().place.column,
              .message = read.error().message});
}

void check_name(const base::ObjectReader& entry, base::DocumentReporter& reporter) {
  if (is_name(entry.value().key())) return;
  base::ValuePlace place = entry.place();
  place.offset = entry.value().key_offset();
  reporter.add(ProblemCode::kBadName,
               place,
               "Not a name: " + base::shortened(entry.value().key()),
               "lower-case letters, digits and '_', a letter first, at most 64");
}

Lifecycle read_lifecycle(base::ObjectReader& table) {
  const auto index = table.find_choice("lifecycle", {"active", "deprecated", "blocked"});
  return static_cast<Lifecycle>(index.value_or(0));
}

std::string find_text(base::ObjectReader& table, std::string_view name) {
  return std::string(table.find_string(name).value_or(""));
}

void add_bad_replacement(const base::ObjectReader& section,
                         std::string_view entry,
                         std::string message,
                         base::DocumentReporter& reporter) {
  const std::optional<base::JsonValue> table = section.find(entry);
  if (!table) return;
  base::ObjectReader(*table, section.place_of(*table), reporter)
      .add(ProblemCode::kBadReplacement, "replaced_by", std::move(message));
}

}  // namespace millrace::plan
