#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "host/endpoint_clients.h"
#include "plan/registry/registry.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"

namespace millrace::host {

/// Everything that requests are answered with and that may be exchanged while a process runs: a
/// registry, the clients of its endpoints, and plans. It does not change; a later one replaces it.
/// Threading: any thread. Destroyed outside the loops, by a thread that may wait: its plans wait
/// for bodies that still run.
/// Lifetime: outlives the requests that it answers.
class Generation {
 public:
  /// Owners of the clients: all generations with the same registry and endpoints.
  Generation(std::shared_ptr<EndpointClients> clients,
             rank::PlanSet plans,
             const rank::RankOptions& options)
      : clients_(std::move(clients)), plans_(std::move(plans)) {
    for (std::size_t loop = 0; loop < clients_->loop_count(); ++loop)
      rankers_.push_back(std::make_unique<rank::Ranker>(plans_, clients_->services(loop), options));
  }

  [[nodiscard]] rank::PlanSet& plans() { return plans_; }
  [[nodiscard]] const rank::PlanSet& plans() const { return plans_; }
  [[nodiscard]] const plan::Registry& registry() const { return clients_->project().registry(); }
  [[nodiscard]] const std::shared_ptr<EndpointClients>& clients() const { return clients_; }
  [[nodiscard]] rank::Ranker& ranker(std::size_t loop) { return *rankers_[loop]; }

 private:
  // Declared first so that it goes last: plans use it.
  const std::shared_ptr<EndpointClients> clients_;
  rank::PlanSet plans_;
  std::vector<std::unique_ptr<rank::Ranker>> rankers_;
};

}  // namespace millrace::host
