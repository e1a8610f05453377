#pragma once

#include <string>

#include "base/formats/json_document.h"
#include "graph/payload.h"

// JSON from which a payload can be read back exactly: a float stays a float, and numbers that JSON
// does not have are written as `{"$float": "inf"}`. Names of members that begin with `$` get
// another one in front.

namespace millrace::graph {

void append_exact_json(std::string& out, const Payload& value);
[[nodiscard]] Payload read_exact_json(const base::JsonValue& value);

}  // namespace millrace::graph
