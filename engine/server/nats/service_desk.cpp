#include "server/nats/service_desk.h"

#include <utility>

#include "base/wall_clock.h"

namespace millrace::server {

ServiceDesk::ServiceDesk(Parts parts)
    : parts_(std::move(parts)), started_(base::to_rfc3339(base::system_wall_clock().now())) {}

ServiceDesk::~ServiceDesk() = default;

void ServiceDesk::set_plans(std::vector<std::string> plans) {
  const base::MutexLock lock(mutex_);
  plans_ = std::move(plans);
}

void ServiceDesk::join(nats::Link& link) {
  if (!subscriptions_.empty()) return;
  for (const char* const verb : {"PING", "INFO", "STATS"}) {
    for (const std::string& subject : service_subjects(verb, parts_.id)) {
      // An account may forbid these subjects; requests work without them.
      if (auto joined = link.subscribe(subject, "", *this))
        subscriptions_.push_back(*std::move(joined));
    }
  }
}

void ServiceDesk::on_message(nats::Message message) {
  if (message.reply.empty()) return;
  std::vector<std::string> plans;
  {
    const base::MutexLock lock(mutex_);
    plans = plans_;
  }
  ServiceInfo info{.id = parts_.id,
                   .version = parts_.version,
                   .group = parts_.group,
                   .started = started_,
                   .endpoints = parts_.tally->endpoints(std::move(plans))};
  for (ServiceEndpoint& endpoint : info.endpoints)
    endpoint.subject = parts_.prefix + "." + endpoint.plan;
  std::string answer = service_answer(message.subject, info);
  if (answer.empty()) return;
  parts_.send({.message = {.subject = std::move(message.reply), .data = std::move(answer)}});
}

}  // namespace millrace::server
