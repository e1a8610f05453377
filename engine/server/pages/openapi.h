#pragma once

#include <string>

namespace millrace::server {

/// The OpenAPI 3.1 document, printed from the table of routes and the list of problems.
[[nodiscard]] std::string openapi_document();

/// The API reference in Markdown, from the same tables.
[[nodiscard]] std::string api_reference();

/// The page at `/`: a curl line per route that works with the plan of this name at this address.
[[nodiscard]] std::string index_page(const std::string& address, const std::string& plan);

}  // namespace millrace::server
