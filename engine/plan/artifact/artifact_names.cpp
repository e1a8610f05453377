#include "plan/artifact/artifact_names.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/value_reader.h"
#include "base/problems/message_text.h"
#include "plan/problem.h"

namespace millrace::plan {

bool is_artifact_name(std::string_view text, std::size_t bytes_max) {
  const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < 0x20; };
  return !text.empty() && text.size() <= bytes_max && text.front() != '$' &&
         std::ranges::none_of(text, is_control);
}

ArtifactName read_artifact_name(base::JsonValue value,
                                base::ValuePlace place,
                                std::size_t bytes_max,
                                base::DocumentReporter& reporter) {
  ArtifactName name{.text = {}, .where = std::move(place)};
  const std::optional<std::string_view> text =
      base::ValueReader(reporter).read_string(value, name.where);
  if (!text) return name;
  if (is_artifact_name(*text, bytes_max)) {
    name.text = *text;
  } else {
    reporter.add(ProblemCode::kBadName,
                 name.where,
                 "Not a name: " + base::shortened(*text),
                 base::format("1 to {} bytes, no control characters, no '$' first", bytes_max));
  }
  return name;
}

std::vector<ArtifactName> read_artifact_names(base::JsonValue array,
                                              const base::ValuePlace& place,
                                              const NameLimits& limits,
                                              base::DocumentReporter& reporter) {
  std::vector<ArtifactName> names;
  if (!base::ValueReader(reporter).is_array(array, place, limits.count_max, "names")) return names;
  for (const base::JsonValue item : array.children()) {
    ArtifactName name = read_artifact_name(item, place.child(item), limits.bytes_max, reporter);
    if (!name.text.empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace millrace::plan
