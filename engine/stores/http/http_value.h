#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/result.h"
#include "rows/column.h"
#include "rows/row_scratch.h"
#include "stores/store_task.h"

namespace millrace::stores {

/// A field of a JSON answer. Null and missing are the same; an object or array is kOther.
struct HttpValue {
  enum class Kind : std::uint8_t { kNull, kBool, kInt, kFloat, kText, kOther };
  Kind kind = Kind::kNull;
  bool flag = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text = {};
};

/// Where a field stands in a document, as RFC 6901 writes it: `/user/scores/0`.
/// Threading: any thread; immutable.
class JsonPointer {
 public:
  JsonPointer() = default;
  [[nodiscard]] static base::Result<JsonPointer> parse(std::string_view text);
  /// The value there; kNull if there is none.
  [[nodiscard]] HttpValue find_in(base::JsonValue root) const;

 private:
  std::vector<std::string> steps_;
};

/// Reads a document and takes one field of it; fails with kNodeFailed if it is no JSON.
[[nodiscard]] base::Result<HttpValue> read_field(std::string_view body,
                                                 const JsonPointer& field,
                                                 base::JsonReader& reader);

/// Makes a column of a batch, with one value per row of it. Rows without a value (nullptr) are
/// null; those whose value is not of the type are null and counted. An int is a float too; nothing
/// else is converted.
[[nodiscard]] rows::ColumnRef make_value_column(rows::ColumnType type,
                                                const std::vector<const HttpValue*>& values,
                                                rows::RowScratch& scratch,
                                                ParseErrors& errors);

}  // namespace millrace::stores
