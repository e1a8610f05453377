#include "plan/registry/registry_table.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/formats/toml_reader.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"

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

void check_name(RegistryFile& file, const base::TomlMember& member, const std::string& path) {
  if (is_name(member.name)) return;
  file.add(ProblemCode::kBadName,
           member.place,
           path,
           "Not a name: " + member.name,
           "lower-case letters, digits and '_', a letter first, at most 64");
}

Lifecycle read_lifecycle(TableReader& table) {
  const auto index = table.find_choice("lifecycle", {"active", "deprecated", "blocked"});
  return static_cast<Lifecycle>(index.value_or(0));
}

}  // namespace millrace::plan
