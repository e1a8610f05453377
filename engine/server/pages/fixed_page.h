#pragma once

#include <string>

namespace millrace::server {

/// A page that is the same for all callers: made once, in both forms in which it is sent.
/// Threading: immutable, so any thread.
struct FixedPage {
  std::string plain;
  std::string gzip;

  [[nodiscard]] static FixedPage of(std::string text);
};

/// The OpenAPI document, made at the first call. `is_pretty`: with line breaks and indents.
[[nodiscard]] const FixedPage& openapi_page(bool is_pretty);

}  // namespace millrace::server
