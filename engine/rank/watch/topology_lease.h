#pragma once

#include <memory>
#include <utility>

#include "trace/trace_collector.h"
#include "trace/trace_record.h"

namespace millrace::rank {

/// Keeps the names of a plan known to a collector for as long as the plan lives.
/// Threading: any thread. Lifetime: borrows the collector.
class TopologyLease {
 public:
  TopologyLease(trace::TraceCollector& collector,
                std::shared_ptr<const trace::TraceTopology> topology)
      : collector_(collector),
        topology_(std::move(topology)),
        id_(collector.add_topology(*topology_)) {}
  ~TopologyLease() { collector_.remove_topology(id_); }
  TopologyLease(const TopologyLease&) = delete;
  TopologyLease& operator=(const TopologyLease&) = delete;

  [[nodiscard]] trace::TraceTopologyId id() const { return id_; }
  [[nodiscard]] const std::shared_ptr<const trace::TraceTopology>& topology() const {
    return topology_;
  }

 private:
  trace::TraceCollector& collector_;
  const std::shared_ptr<const trace::TraceTopology> topology_;
  const trace::TraceTopologyId id_;
};

}  // namespace millrace::rank
