#pragma once

#include <optional>
#include <vector>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "plan/check/draft.h"
#include "plan/param_value.h"

namespace millrace::plan {

/// Reads a param of type kKeyMap: `"name"`, `["name", …]` or `{"author_name": "name", …}`. Reports
/// what is wrong with it and then gives nothing.
/// Threading: not shared. Lifetime: borrows the context.
class KeyMapReader {
 public:
  explicit KeyMapReader(const CheckContext& context) : context_(context) {}

  [[nodiscard]] std::optional<std::vector<KeyMove>> read(base::JsonValue json,
                                                         const base::ValuePlace& where);

 private:
  bool add(KeyMove move, const base::ValuePlace& where);
  bool add_own_name(base::JsonValue json, const base::ValuePlace& where);
  bool add_renamed(base::JsonValue json, const base::ValuePlace& where);

  const CheckContext& context_;
  std::vector<KeyMove> moves_;
};

}  // namespace millrace::plan
