#include "rank/live_rows.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "plan/compiled_plan.h"
#include "rows/row_set.h"
#include "runtime/topology/topology.h"

namespace millrace::rank {

RowReads::RowReads(const plan::CompiledPlan& plan, const runtime::Topology& topology)
    : nodes_(plan.nodes.size()) {
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    const plan::CompiledNode& node = plan.nodes[index];
    Node& reader = nodes_[index];
    reader.has_fallback_value = node.on_failure == plan::OnFailure::kUseEmpty ||
                                node.on_failure == plan::OnFailure::kUseInput;
    for (const plan::PlanInput& input : node.inputs) {
      const auto* const producer = std::get_if<plan::NodeInput>(&input);
      if (producer == nullptr) continue;
      reader.inputs.push_back(producer->node);
      ++nodes_[producer->node].readers;
      // Such a reader may be through before its input is there.
      nodes_[producer->node].reads_itself |= reader.has_fallback_value;
    }
    if (node.on_failure != plan::OnFailure::kUseNode) continue;
    reader.fallback_node = node.fallback_node;
    ++nodes_[node.fallback_node].readers;
    nodes_[node.fallback_node].reads_itself = true;
    for (const std::uint32_t lazy : topology.lazy_closure(node.fallback_node)) {
      if (!topology.is_lazy(lazy)) continue;
      has_lazy_ = true;
      reader.lazies.push_back(lazy);
      ++nodes_[lazy].lazy_users;
    }
  }
  for (Node& node : nodes_) node.readers += node.reads_itself ? 1 : 0;
  // These stay to the end.
  for (const std::uint32_t output : plan.outputs) ++nodes_[output].readers;
  if (plan.viewer_node != plan::kNoPlanNode) ++nodes_[plan.viewer_node].readers;
}

LiveRows::LiveRows(const RowReads& reads) : reads_(reads), cells_(reads.nodes_.size()) {
  if (reads.has_lazy_)
    lazy_users_ = std::make_unique<std::atomic<std::uint32_t>[]>(reads.nodes_.size());
}

void LiveRows::open(bool keeps_all) {
  keeps_all_ = keeps_all;
  for (std::uint32_t node = 0; node < cells_.size(); ++node) {
    cells_[node].readers.store(reads_.nodes_[node].readers, std::memory_order_relaxed);
    if (lazy_users_)
      lazy_users_[node].store(reads_.nodes_[node].lazy_users, std::memory_order_relaxed);
  }
}

void LiveRows::clear() {
  for (Cell& cell : cells_) {
    cell.has_rows.store(false, std::memory_order_relaxed);
    cell.rows.reset();
    cell.published = false;
    cell.door.store(0, std::memory_order_relaxed);
  }
}

const rows::RowSet* LiveRows::find(std::uint32_t node) const {
  // A node whose fallback is another node has no rows of its own.
  while (!cells_[node].has_rows.load(std::memory_order_acquire)) {
    node = reads_.nodes_[node].fallback_node;
    if (node == plan::kNoPlanNode) return nullptr;
  }
  return &*cells_[node].rows;
}

bool LiveRows::try_begin_reading(std::uint32_t node) {
  if (keeps_all_ || !reads_.nodes_[node].has_fallback_value) return true;
  return (cells_[node].door.fetch_or(kReading, std::memory_order_acq_rel) & kDecided) == 0;
}

void LiveRows::end_reading(std::uint32_t node) {
  if (keeps_all_) return;
  if (!reads_.nodes_[node].has_fallback_value) return leave_inputs(node);
  const std::uint8_t before =
      cells_[node].door.fetch_and(static_cast<std::uint8_t>(~kReading), std::memory_order_acq_rel);
  if ((before & kDecided) != 0) leave_inputs(node);
}

void LiveRows::note_failed(std::uint32_t node) {
  const RowReads::Node& reader = reads_.nodes_[node];
  // With a fallback value the node is its own reader until it has that.
  if (!keeps_all_ && reader.reads_itself && !reader.has_fallback_value) leave(node);
}

void LiveRows::publish(std::uint32_t node, rows::RowSet rows) {
  fill(cells_[node], std::move(rows));
  cells_[node].published = true;
  if (keeps_all_) return;
  const RowReads::Node& reader = reads_.nodes_[node];
  if (reader.has_fallback_value) decide(node);
  if (reader.fallback_node != plan::kNoPlanNode) {
    leave(reader.fallback_node);
    skip_lazies(node);
  }
  if (reader.reads_itself || reader.readers == 0) leave(node);
}

void LiveRows::stand_in(std::uint32_t node, rows::RowSet rows) {
  fill(cells_[node], std::move(rows));
  if (keeps_all_) return;
  decide(node);
  const RowReads::Node& reader = reads_.nodes_[node];
  if (reader.reads_itself || reader.readers == 0) leave(node);
}

void LiveRows::fill(Cell& cell, rows::RowSet rows) {
  cell.rows = std::move(rows);
  cell.has_rows.store(true, std::memory_order_release);
}

void LiveRows::decide(std::uint32_t node) {
  const std::uint8_t before = cells_[node].door.fetch_or(kDecided, std::memory_order_acq_rel);
  if ((before & kReading) == 0) leave_inputs(node);
}

void LiveRows::leave_inputs(std::uint32_t node) {
  for (const std::uint32_t input : reads_.nodes_[node].inputs) leave(input);
}

void LiveRows::leave(std::uint32_t node) {
  while (node != plan::kNoPlanNode) {
    Cell& cell = cells_[node];
    // The only reader needs no read-modify-write: nobody else touches the count.
    if (cell.readers.load(std::memory_order_acquire) > 1 &&
        cell.readers.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      return;
    }
    cell.has_rows.store(false, std::memory_order_relaxed);
    cell.rows.reset();
    // What has rows of its own has said so to its fallback node before.
    node = cell.published ? plan::kNoPlanNode : reads_.nodes_[node].fallback_node;
  }
}

void LiveRows::skip_lazies(std::uint32_t node) {
  for (const std::uint32_t lazy : reads_.nodes_[node].lazies) {
    if (lazy_users_[lazy].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    // It will never run, and so never need a fallback.
    leave_inputs(lazy);
    skip_lazies(lazy);
    if (reads_.nodes_[lazy].reads_itself) leave(lazy);
  }
}

}  // namespace millrace::rank
