#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/object_reader.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"

// How the registry files are read. Every function adds what is wrong to the report and goes on, so
// that one report holds all problems.

namespace millrace::plan {

/// One registry file: its document, and where its problems go.
/// Threading: not shared. Lifetime: borrows the report; values borrow the file.
class RegistryFile {
 public:
  /// Reads the text; one that is not TOML is reported.
  RegistryFile(std::string name, std::string_view text, ProblemReport& report);
  RegistryFile(const RegistryFile&) = delete;
  RegistryFile& operator=(const RegistryFile&) = delete;

  /// The outermost table; nothing if the text is not TOML.
  [[nodiscard]] std::optional<base::JsonValue> root() const {
    return is_toml_ ? std::optional(document_.root()) : std::nullopt;
  }
  [[nodiscard]] base::DocumentReporter& reporter() { return reporter_; }

 private:
  base::JsonDocument document_;
  base::DocumentReporter reporter_;
  bool is_toml_ = false;
};

/// Reports an entry whose name may not be one of a key, param or endpoint.
void check_name(const base::ObjectReader& entry, base::DocumentReporter& reporter);

/// Reads `lifecycle`, which is active by default.
[[nodiscard]] Lifecycle read_lifecycle(base::ObjectReader& table);

/// Gives a text, or an empty one if it is absent.
[[nodiscard]] std::string find_text(base::ObjectReader& table, std::string_view name);

/// Adds a problem with the `replaced_by` of an entry of `section`.
void add_bad_replacement(const base::ObjectReader& section,
                         std::string_view entry,
                         std::string message,
                         base::DocumentReporter& reporter);

/// Follows `replaced_by` from every entry of a section: each name must exist, and no chain of
/// replacements may lead back to an earlier entry.
template <class Info>
void check_replacements(const base::ObjectReader& section,
                        const std::vector<Info>& infos,
                        base::DocumentReporter& reporter) {
  for (const Info& info : infos) {
    const Info* next = &info;
    std::size_t steps = 0;
    while (next != nullptr && !next->replaced_by.empty() && steps <= infos.size()) {
      const auto found = std::ranges::find(infos, next->replaced_by, &Info::name);
      if (found == infos.end()) {
        if (next == &info) {
          add_bad_replacement(section, info.name, "No such name: " + info.replaced_by, reporter);
        }
        break;
      }
      next = &*found;
      ++steps;
    }
    if (steps > infos.size()) {
      add_bad_replacement(
          section, info.name, "Replacements lead in a circle: " + info.name, reporter);
    }
  }
}

}  // namespace millrace::plan
