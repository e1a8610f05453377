#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/http_head.h"

namespace millrace::server {

/// Which pages of other origins may read answers (S20). Without origins nothing is said at all.
/// Threading: any thread; constant after construction.
class Cors {
 public:
  explicit Cors(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  [[nodiscard]] bool is_on() const { return !origins_.empty(); }
  /// Adds what a page needs to read an answer, if its origin is on the list. `Vary` is added for
  /// every request, because answers differ by it.
  void add_fields(const net::HttpFields& request, net::HttpFields& reply) const;
  /// Whether a request asks for permission, as browsers do before a POST of JSON.
  [[nodiscard]] static bool is_preflight(std::string_view method, const net::HttpFields& request);
  /// Adds what gives that permission, besides `add_fields`, if the origin is on the list.
  void add_preflight_fields(const net::HttpFields& request, net::HttpFields& reply) const;

 private:
  [[nodiscard]] bool allows(const net::HttpFields& request) const;

  const std::vector<std::string> origins_;
};

}  // namespace millrace::server
