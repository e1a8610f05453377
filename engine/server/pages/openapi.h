#pragma once

#include <string>

#include "server/route_table.h"

namespace millrace::server {

/// The OpenAPI 3.1 document, printed from the table of routes and the list of problems.
[[nodiscard]] std::string openapi_document();

/// The API reference in Markdown, from the same tables.
[[nodiscard]] std::string api_reference();

/// Who asks for the page at `/`.
struct IndexReader {
  std::string address;
  std::string plan;  ///< one that it may use
  ListenerKind listener = ListenerKind::kMain;
  bool has_admin = false;  ///< there is an admin listener
};

/// The page at `/`: a curl line per route that works for the reader.
[[nodiscard]] std::string index_page(const IndexReader& reader);

}  // namespace millrace::server
