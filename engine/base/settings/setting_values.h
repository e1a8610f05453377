#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/formats/json_writer.h"
#include "base/problems/problem_report.h"
#include "base/settings/setting_spec.h"

namespace millrace::base {

/// Where a value comes from; later ones win.
enum class SettingSource : std::uint8_t { kDefault, kFile, kEnvironment, kFlag };

/// Gives `default`, `file`, `environment` or `flag`.
[[nodiscard]] std::string_view to_string(SettingSource source);

/// What can be wrong with settings.
enum class SettingProblemCode : std::uint8_t {
  kBadToml,
  kUnknownSetting,
  kBadSetting,
  kUnknownVariable,  ///< a warning: others put variables into the environment, too
};
[[nodiscard]] std::string_view to_string(SettingProblemCode code);

/// Everything that may set something. Lifetime: borrows texts for the call.
struct SettingInputs {
  /// What the command line says, in its order: name and value; the last one of a name wins.
  std::span<const std::pair<std::string, std::string>> flags = {};
  /// Variables of the environment; only names that begin with `RANKD_` are looked at.
  std::span<const std::pair<std::string, std::string>> environment = {};
  std::string_view file_name = {};  ///< of the settings file, for messages; empty: there is none
  std::string_view file_text = {};  ///< in TOML
};

/// The values of all settings of a table, and where each comes from.
/// Threading: any thread once read. Lifetime: borrows the table.
class SettingValues {
 public:
  /// Reads all inputs. Every problem goes into the report; a setting with a bad value keeps its
  /// default.
  [[nodiscard]] static SettingValues read(std::span<const SettingSpec> table,
                                          const SettingInputs& inputs,
                                          ProblemReport& report);

  // The name must be in the table and of that kind.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] Duration duration(std::string_view name) const;
  [[nodiscard]] SettingSource source(std::string_view name) const;

  /// One line per setting: name, value, source, and whether a reload changes it.
  [[nodiscard]] std::string to_text() const;
  /// The same as an array of objects.
  void write_json(JsonWriter& json) const;

 private:
  struct Entry {
    SettingValue value;
    std::string text;  // as it was written
    SettingSource source = SettingSource::kDefault;
    std::string origin = {};  // the file's place, the variable
  };
  struct Given;

  explicit SettingValues(std::span<const SettingSpec> table);
  void take(const Given& given, ProblemReport& report);
  void read_file(const SettingInputs& inputs, ProblemReport& report);
  void read_environment(const SettingInputs& inputs, ProblemReport& report);
  void read_flags(const SettingInputs& inputs, ProblemReport& report);
  [[nodiscard]] std::size_t index_of(std::string_view name) const;
  [[nodiscard]] std::size_t find_index(std::string_view name) const;
  [[nodiscard]] std::string shown(std::size_t index) const;

  std::span<const SettingSpec> table_;
  std::vector<Entry> entries_;  // by index in the table
};

/// The reference page of a table, in Markdown: a row per setting.
[[nodiscard]] std::string settings_reference(std::span<const SettingSpec> table);

}  // namespace millrace::base
