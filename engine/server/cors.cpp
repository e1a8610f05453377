#include "server/cors.h"

#include <algorithm>
#include <string_view>

namespace millrace::server {

bool Cors::allows(const net::HttpFields& request) const {
  const auto origin = request.find("Origin");
  return origin && std::ranges::find(origins_, *origin) != origins_.end();
}

void Cors::add_fields(const net::HttpFields& request, net::HttpFields& reply) const {
  if (!is_on()) return;
  reply.add("Vary", "Origin");
  if (!allows(request)) return;
  reply.add("Access-Control-Allow-Origin", *request.find("Origin"));
  reply.add("Access-Control-Expose-Headers",
            "X-Request-Id, X-Degraded, Server-Timing, Retry-After");
}

bool Cors::is_preflight(std::string_view method, const net::HttpFields& request) {
  return method == "OPTIONS" && request.find("Origin") &&
         request.find("Access-Control-Request-Method");
}

void Cors::add_preflight_fields(const net::HttpFields& request, net::HttpFields& reply) const {
  if (!allows(request)) return;
  reply.add("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
  reply.add("Access-Control-Allow-Headers",
            "Content-Type, X-Request-Id, X-Deadline-Ms, traceparent, tracestate, Authorization, "
            "X-Api-Key");
  reply.add("Access-Control-Max-Age", "600");
}

}  // namespace millrace::server
