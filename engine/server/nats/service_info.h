#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What `$SRV.PING`, `$SRV.INFO` and `$SRV.STATS` are answered with, so that tools for NATS services
// (`nats micro ls`) find the process.

namespace millrace::server {

/// One plan as an endpoint of the service.
struct ServiceEndpoint {
  std::string plan;
  std::string subject;
  std::uint64_t request_count = 0;
  std::uint64_t error_count = 0;  ///< replies with another status than 200
};

struct ServiceInfo {
  std::string id;  ///< of this process
  std::string version;
  std::string group;
  std::string started;  ///< when, in RFC 3339
  std::vector<ServiceEndpoint> endpoints;
};

/// What the service is called.
inline constexpr std::string_view kServiceName = "rankd";

/// The subjects of one kind of question, `PING`, `INFO` or `STATS`: to all services, to those of
/// our name, to this process.
[[nodiscard]] std::vector<std::string> service_subjects(std::string_view verb, std::string_view id);

/// The answer to a question by its subject; empty if it is none.
[[nodiscard]] std::string service_answer(std::string_view subject, const ServiceInfo& info);

}  // namespace millrace::server
