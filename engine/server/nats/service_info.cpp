#include "server/nats/service_info.h"

#include "base/format.h"
#include "base/formats/json_writer.h"

namespace millrace::server {
namespace {

constexpr std::string_view kServicePrefix = "$SRV.";

void begin_service(base::JsonWriter& json, std::string_view type, const ServiceInfo& info) {
  json.begin_object();
  json.member("type", base::format("io.nats.micro.v1.{}_response", type));
  json.member("name", kServiceName);
  json.member("id", info.id);
  json.member("version", info.version);
  json.key("metadata");
  json.begin_object();
  json.end_object();
}

void write_endpoint(base::JsonWriter& json, const ServiceInfo& info, const ServiceEndpoint& one) {
  json.member("name", one.plan);
  json.member("subject", one.subject);
  json.member("queue_group", info.group);
}

}  // namespace

std::vector<std::string> service_subjects(std::string_view verb, std::string_view id) {
  const std::string all = base::format("{}{}", kServicePrefix, verb);
  const std::string ours = base::format("{}.{}", all, kServiceName);
  return {all, ours, base::format("{}.{}", ours, id)};
}

std::string service_answer(std::string_view subject, const ServiceInfo& info) {
  if (!subject.starts_with(kServicePrefix)) return {};
  std::string_view verb = subject.substr(kServicePrefix.size());
  verb = verb.substr(0, verb.find('.'));
  std::string out;
  base::JsonWriter json(out);
  if (verb == "PING") {
    begin_service(json, "ping", info);
  } else if (verb == "INFO") {
    begin_service(json, "info", info);
    json.member("description", "Ranks requests by plans");
    json.key("endpoints");
    json.begin_array();
    for (const ServiceEndpoint& one : info.endpoints) {
      json.begin_object();
      write_endpoint(json, info, one);
      json.end_object();
    }
    json.end_array();
  } else if (verb == "STATS") {
    begin_service(json, "stats", info);
    json.member("started", info.started);
    json.key("endpoints");
    json.begin_array();
    for (const ServiceEndpoint& one : info.endpoints) {
      json.begin_object();
      write_endpoint(json, info, one);
      json.member("num_requests", one.request_count);
      json.member("num_errors", one.error_count);
      json.end_object();
    }
    json.end_array();
  } else {
    return {};
  }
  json.end_object();
  return out;
}

}  // namespace millrace::server
