#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/formats/json_document.h"

namespace millrace::graph {

/// The first entry in which a replay differs from its record.
struct Divergence {
  std::string domain = {};
  std::uint64_t epoch = 0;
  std::string place = {};     ///< a component or edge, or the kind of the entry
  std::string recorded = {};  ///< the member of the entry that differs
  std::string now = {};
  std::uint64_t line = 0;  ///< of the record
};

/// Finds the first member in which two entries differ. Domain and epoch are as far as the entry of
/// the replay says them; the line is left to the caller.
[[nodiscard]] std::optional<Divergence> find_divergence(const base::JsonValue& recorded,
                                                        const base::JsonValue& now);

/// A member of an entry that is a text; empty if there is none.
[[nodiscard]] std::string entry_text(const base::JsonValue& entry, std::string_view name);

}  // namespace millrace::graph
