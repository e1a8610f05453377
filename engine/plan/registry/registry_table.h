#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/toml_reader.h"
#include "base/text_place.h"
#include "plan/membership.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"

// Internal: how the registry files are read. Everything reports what it does not like and goes on,
// so that one report has everything.

namespace millrace::plan {

/// One file being read: where its problems go.
class RegistryFile {
 public:
  RegistryFile(std::string name, ProblemReport& report) : name_(std::move(name)), report_(report) {}

  void add(ProblemCode code,
           base::TextPlace place,
           std::string path,
           std::string message,
           std::string hint = {}) {
    report_.add({.code = code,
                 .path = std::move(path),
                 .file = name_,
                 .line = place.line,
                 .column = place.column,
                 .message = std::move(message),
                 .hint = std::move(hint)});
  }

  [[nodiscard]] std::optional<base::TomlValue> read(std::string_view text) {
    std::expected<base::TomlValue, base::TomlProblem> root = base::read_toml(text);
    if (root) return *std::move(root);
    add(ProblemCode::kBadToml, root.error().place, "", root.error().message);
    return std::nullopt;
  }

 private:
  std::string name_;
  ProblemReport& report_;
};

/// One table of a file: gives its members by type and knows which names it may have.
class TableReader {
 public:
  TableReader(RegistryFile& file, const base::TomlMember& member, std::string path)
      : file_(file), value_(member.value), place_(member.place), path_(std::move(path)) {}

  /// Reports a value that is no table; the reader then finds nothing.
  bool is_table() {
    if (value_.find<base::TomlValue::Table>() != nullptr) return true;
    wrong_type(path_, place_, "table", value_);
    return false;
  }

  void allow_only(std::initializer_list<std::string_view> names) {
    for (const base::TomlMember& member : *value_.find<base::TomlValue::Table>()) {
      if (contains(names, member.name)) continue;
      file_.add(ProblemCode::kUnknownField,
                member.place,
                path_ + "." + member.name,
                "Unknown field: " + member.name,
                suggestion(member.name, std::span(names.begin(), names.size())));
    }
  }

  template <class T>
  std::optional<T> find(std::string_view name, std::string_view kind) {
    const base::TomlValue* member = value_.find_member(name);
    if (member == nullptr) return std::nullopt;
    if (const T* content = member->find<T>()) return *content;
    wrong_type(path_of(name), member->place, kind, *member);
    return std::nullopt;
  }

  [[nodiscard]] const base::TomlValue* find_raw(std::string_view name) const {
    return value_.find_member(name);
  }

  /// One of `names`, as its place among them.
  std::optional<std::size_t> find_choice(std::string_view name,
                                         std::initializer_list<std::string_view> names) {
    const std::optional<std::string> text = find<std::string>(name, "string");
    if (!text) return std::nullopt;
    const auto* found = std::ranges::find(names, *text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string all;
    for (const std::string_view choice : names) {
      all += (all.empty() ? "one of " : ", ") + std::string(choice);
    }
    add(ProblemCode::kBadValue, name, base::format("Unknown {}: {}", name, *text), std::move(all));
    return std::nullopt;
  }

  void require(std::string_view name) {
    if (value_.find_member(name) == nullptr) {
      file_.add(ProblemCode::kMissingField, place_, path_, base::format("Missing field: {}", name));
    }
  }

  void add(ProblemCode code, std::string_view name, std::string message, std::string hint = {}) {
    const base::TomlValue* member = value_.find_member(name);
    file_.add(code,
              member != nullptr ? member->place : place_,
              path_of(name),
              std::move(message),
              std::move(hint));
  }

  static std::string suggestion(std::string_view name, std::span<const std::string_view> names) {
    const std::optional<std::string_view> nearest = base::find_nearest(name, names);
    return nearest ? base::format("did you mean '{}'?", *nearest) : std::string();
  }

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const {
    return path_ + "." + std::string(name);
  }

  void wrong_type(std::string path,
                  base::TextPlace place,
                  std::string_view kind,
                  const base::TomlValue& value) {
    file_.add(ProblemCode::kWrongType,
              place,
              std::move(path),
              base::format("Expected {}, found {}", kind, kind_name(value)));
  }

  RegistryFile& file_;
  const base::TomlValue& value_;
  base::TextPlace place_;
  std::string path_;
};

/// Reports a name of an entry that is none.
void check_name(RegistryFile& file, const base::TomlMember& member, const std::string& path);

[[nodiscard]] Lifecycle read_lifecycle(TableReader& table);

/// Follows `replaced_by` from every entry: each name must exist, and no chain may close.
template <class Info>
void check_replacements(RegistryFile& file,
                        const std::string& section,
                        const std::vector<Info>& infos) {
  for (const Info& info : infos) {
    const Info* next = &info;
    std::size_t steps = 0;
    while (next != nullptr && !next->replaced_by.empty() && steps <= infos.size()) {
      const auto found = std::ranges::find(infos, next->replaced_by, &Info::name);
      if (found == infos.end()) {
        if (next == &info) {
          file.add(ProblemCode::kBadReplacement,
                   {},
                   section + "." + info.name + ".replaced_by",
                   "No such name: " + info.replaced_by);
        }
        break;
      }
      next = &*found;
      ++steps;
    }
    if (steps > infos.size()) {
      file.add(ProblemCode::kBadReplacement,
               {},
               section + "." + info.name + ".replaced_by",
               "Replacements lead in a circle: " + info.name);
    }
  }
}

}  // namespace millrace::plan
