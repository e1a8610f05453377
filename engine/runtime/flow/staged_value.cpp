#include "runtime/flow/staged_value.h"

#include <cstdint>
#include <thread>

#include "base/check.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

void StagedValue::close_input() {
  Door expected = Door::kOpen;
  while (!door_.compare_exchange_strong(
      expected, Door::kClosed, std::memory_order_acq_rel, std::memory_order_acquire)) {
    if (expected != Door::kReading) return;
    std::this_thread::yield();
    expected = Door::kOpen;
  }
}

StagedValues::StagedValues(const Topology& topology) {
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const StagedValueMaker make = topology.spec(node).make_staged;
    if (make == nullptr) continue;
    by_node_.resize(topology.node_count());
    by_node_[node] = make();
    in_use_.push_back(by_node_[node].get());
  }
}

StagedValue& StagedValues::at(std::uint32_t node) const {
  MR_CHECK(node < by_node_.size(), node, by_node_.size());
  MR_CHECK(by_node_[node] != nullptr, node);
  return *by_node_[node];
}

}  // namespace millrace::runtime
