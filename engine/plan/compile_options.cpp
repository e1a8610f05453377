#include "plan/compile_options.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace millrace::plan {

std::optional<CompileOptions> parse_passes(std::string_view text) {
  if (text == "on") return CompileOptions{};
  CompileOptions options = CompileOptions::without_passes();
  if (text == "off") return options;
  static constexpr std::pair<std::string_view, bool CompileOptions::*> kPasses[] = {
      {"dead_nodes", &CompileOptions::remove_dead_nodes},
      {"columns", &CompileOptions::prune_columns},
      {"equal_nodes", &CompileOptions::merge_fetches},
      {"filters", &CompileOptions::merge_filters},
      {"top_k", &CompileOptions::use_top_k},
  };
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    bool is_known = false;
    for (const auto& [known, pass] : kPasses) {
      if (known != name) continue;
      options.*pass = true;
      is_known = true;
    }
    if (!is_known) return std::nullopt;
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return options;
}

}  // namespace millrace::plan
