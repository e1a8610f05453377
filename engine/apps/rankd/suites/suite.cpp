#include "apps/rankd/suites/suite.h"

#include <string>

namespace millrace::rankd {

FieldValue to_field_value(base::JsonValue value) {
  if (const auto flag = value.find_bool()) return *flag;
  if (const auto integer = value.find_int()) return *integer;
  if (const auto number = value.find_number()) return *number;
  if (const auto text = value.find_string()) return std::string(*text);
  return {};
}

}  // namespace millrace::rankd
