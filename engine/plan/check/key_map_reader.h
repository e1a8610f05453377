#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "plan/check/draft.h"
#include "plan/check/key_names.h"
#include "plan/param_value.h"

namespace millrace::plan {

/// Reads a param of type kKeyMap: `"name"`, `["name", …]` or `{"author_name": "name", …}`. Reports
/// what is wrong with it and then gives nothing. Where the task computes the new columns, these are
/// keys that plans may write, and have the type of the result.
/// Threading: not shared. Lifetime: borrows the context.
class KeyMapReader {
 public:
  KeyMapReader(const NamedParam& param, const CheckContext& context)
      : param_(param), context_(context) {}

  [[nodiscard]] std::optional<std::vector<KeyMove>> read(base::JsonValue json,
                                                         const base::ValuePlace& where);

 private:
  bool add(KeyMove move, const base::ValuePlace& where);
  bool add_own_name(base::JsonValue json, const base::ValuePlace& where);
  bool add_renamed(base::JsonValue json, const base::ValuePlace& where);

  /// Adds a column that is computed from another.
  bool add_computed(std::string_view to, std::string_view from, const base::ValuePlace& where);

  const NamedParam param_;
  const CheckContext& context_;
  std::vector<KeyMove> moves_;
};

}  // namespace millrace::plan
