#include "host/endpoint_clients.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "base/format.h"
#include "host/loop_call.h"
#include "plan/registry/registry.h"

namespace millrace::host {
namespace {

StartError cannot_use(std::string_view endpoint, const base::Error& error) {
  const bool says_where = error.where().empty() || error.message().contains(error.where());
  return {base::format("The endpoint '{}' cannot be used: {}{}",
                       endpoint,
                       error.message(),
                       says_where ? "" : base::format(" (at {})", error.where()))};
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return {};
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {.modified_ns = found.st_mtim.tv_sec * kSecond + found.st_mtim.tv_nsec,
          .bytes = found.st_size,
          .inode = found.st_ino};
}

EndpointClients::EndpointClients(Parts parts) : parts_(std::move(parts)) {
  for (loop::EventLoop* const loop : parts_.loops) loops_.push_back({.loop = loop});
}

EndpointClients::~EndpointClients() {
  // A client closes its sockets, and hands its counts over: only the loop thread may do that.
  for (PerLoop& unit : loops_) run_on_loop(*unit.loop, [&unit] { unit.clients.clear(); });
}

std::expected<std::shared_ptr<EndpointClients>, StartError> EndpointClients::connect(
    Parts parts, const EndpointClients* before) {
  std::shared_ptr<EndpointClients> made(new EndpointClients(std::move(parts)));
  const std::size_t count = made->project().registry().endpoints().size();
  for (std::size_t endpoint = 0; endpoint < count; ++endpoint) {
    if (auto done = made->connect_endpoint(endpoint, before); !done)
      return std::unexpected(done.error());
  }
  return made;
}

std::expected<void, StartError> EndpointClients::connect_endpoint(std::size_t index,
                                                                  const EndpointClients* before) {
  const plan::EndpointInfo& endpoint = project().registry().endpoints()[index];
  tasks::EndpointDriver* const driver = project().extensions().find_driver(endpoint.kind);
  if (driver == nullptr) {
    return std::unexpected(StartError{
        base::format("Endpoint '{}': this program has no client for the kind '{}'; give it another "
                     "kind in registry/endpoints.toml",
                     endpoint.name,
                     plan::to_string(endpoint.kind))});
  }
  kinds_.push_back(driver->client_kind());
  stamps_.push_back(stamps_of(endpoint));
  std::optional<std::size_t> same;
  if (before != nullptr) {
    const auto old = before->project().registry().find_endpoint(endpoint.name);
    if (old && before->project().registry().endpoint(*old) == endpoint &&
        before->stamps_[old->index] == stamps_.back())
      same = old->index;
  }
  if (same) ++shared_count_;
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    PerLoop& unit = loops_[loop];
    std::shared_ptr<LoopClient> kept;
    if (same) {
      kept = before->loops_[loop].clients[*same];
    } else {
      auto connected = driver->connect({.endpoint = endpoint, .root = project().root()},
                                       {.loop = *unit.loop, .log = parts_.log});
      if (!connected) return std::unexpected(cannot_use(endpoint.name, connected.error()));
      kept = std::make_shared<LoopClient>();
      kept->transport = std::move(connected->transport);
      kept->client = std::move(connected->client);
      kept->metrics = std::make_unique<base::MetricBinding>(*parts_.metrics);
      kept->client->bind_metrics(*kept->metrics, endpoint.name);
    }
    unit.refs.push_back(kept->client.get());
    unit.clients.push_back(std::move(kept));
  }
  return {};
}

std::vector<FileStamp> EndpointClients::stamps_of(const plan::EndpointInfo& endpoint) const {
  std::vector<std::string> names{endpoint.data_file};
  if (endpoint.tls) {
    for (const std::string& name :
         {endpoint.tls->ca_file, endpoint.tls->certificate_file, endpoint.tls->key_file})
      names.push_back(name);
  }
  std::vector<FileStamp> stamps;
  for (const std::string& name : names) {
    if (!name.empty())
      stamps.push_back(stamp_of((std::filesystem::path(project().root()) / name).string()));
  }
  return stamps;
}

bool EndpointClients::has_stale_file() const {
  const auto endpoints = project().registry().endpoints();
  for (std::size_t index = 0; index < endpoints.size(); ++index) {
    if (stamps_of(endpoints[index]) != stamps_[index]) return true;
  }
  return false;
}

stores::StoreCounters EndpointClients::store_counters() const {
  stores::StoreCounters sum;
  for (const PerLoop& unit : loops_) {
    for (tasks::EndpointClient* const client : unit.refs) {
      if (client->client_kind() != tasks::ClientKind::kStore) continue;
      const stores::StoreCounters one = static_cast<stores::StoreClient&>(*client).counters();
      sum.commands += one.commands;
      sum.batches += one.batches;
      sum.round_trips += one.round_trips;
    }
  }
  return sum;
}

}  // namespace millrace::host
