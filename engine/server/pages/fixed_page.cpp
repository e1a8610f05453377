#include "server/pages/fixed_page.h"

#include <string>
#include <utility>

#include "net/http/gzip.h"
#include "server/pages/json_indent.h"
#include "server/pages/openapi.h"

namespace millrace::server {
namespace {

std::string pretty_openapi() {
  std::string text;
  append_indented(openapi_document(), text);
  return text;
}

}  // namespace

FixedPage FixedPage::of(std::string text) {
  FixedPage page{.plain = std::move(text), .gzip = {}};
  net::GzipDeflater().deflate(page.plain, page.gzip);
  return page;
}

const FixedPage& openapi_page(bool is_pretty) {
  static const FixedPage kPlain = FixedPage::of(openapi_document());
  if (!is_pretty) return kPlain;
  static const FixedPage kPretty = FixedPage::of(pretty_openapi());
  return kPretty;
}

}  // namespace millrace::server
