#include "nats/client.h"

#include <utility>

#include "base/format.h"

namespace millrace::nats {

base::Result<std::unique_ptr<Client>> Client::connect(LinkSettings settings) {
  settings.waits_for_server = false;
  std::unique_ptr<Client> client(new Client);
  auto link = open_link(settings, *client);
  if (!link) {
    std::string all;
    for (const std::string& url : settings.urls) all += (all.empty() ? "" : ", ") + url;
    return base::fail(link.error().code(), base::format("{} ({})", link.error().message(), all));
  }
  client->link_ = *std::move(link);
  MR_TRY(client->box_, RequestBox::open(*client->link_));
  return client;
}

Client::~Client() {
  box_.reset();
  link_.reset();
}

std::string Client::last_problem() const {
  const base::MutexLock lock(mutex_);
  return problem_;
}

void Client::on_problem(const std::string& problem) {
  const base::MutexLock lock(mutex_);
  problem_ = problem;
}

}  // namespace millrace::nats
