#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/sharing_prices.h"
#include "runtime/topology/priority_order.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// Costs of the nodes of a topology, by node, in nanoseconds.
struct NodeCosts {
  std::span<const std::uint64_t> own;    ///< of the node
  std::span<const std::uint64_t> worth;  ///< with what only it leads to, see `add_worths`
  std::uint64_t most_worth = 0;          ///< the most that any node is worth to another worker
};

/// The cost of each node with that of all nodes that wait for it alone, directly or through others
/// of that kind, up to the next asynchronous ones: what goes with the node to whoever takes it.
void add_worths(const Topology& topology,
                std::span<const std::uint64_t> own,
                std::span<std::uint64_t> worth);

/// What a run is to share with others.
struct SharingPlan {
  /// What a second worker saves of its time, in nanoseconds.
  std::uint64_t gain_ns = 0;
  /// Nodes that are worth as much are handed over singly; `kNothing`: none is handed over at all.
  std::uint32_t worth_min_ns = 0;

  static constexpr std::uint32_t kNothing = UINT32_MAX;
  [[nodiscard]] bool shares() const { return worth_min_ns != kNothing; }
};

/// Plays a run through on two workers who share as real ones do (D6), with what each hand-over
/// costs, to know whether a second worker pays (D11). A count of nodes and tokens does not tell:
/// of two shapes with as many of both, one keeps two workers apart, and the other makes them meet
/// after every node.
/// Threading: not shared. Lifetime: borrows the topology.
class SharingForecast {
 public:
  /// Reserves all it needs.
  explicit SharingForecast(const Topology& topology);

  /// The best of: only what is worth a hand-over by itself goes to the other, any node does, and
  /// nothing does. The second is for nodes that are cheap but lead to others which lead far.
  [[nodiscard]] SharingPlan plan(const NodeCosts& costs,
                                 const PriorityOrder& order,
                                 const SharingPrices& prices);

 private:
  struct Ready {
    std::uint32_t node;
    std::uint64_t since;
  };
  /// One of the workers. Its ready nodes are those of `stack` from `oldest` on.
  struct Side {
    std::uint64_t now = 0;
    std::uint32_t next = kNoNode;
    std::vector<Ready> stack;
    std::size_t oldest = 0;
    std::uint64_t stack_ns = 0;
    std::uint32_t carried_tokens = 0;  // for `carried_to`: given with those of the next node
    Edge carried_to{kNoNode, kNoCounter};

    [[nodiscard]] bool is_empty() const { return oldest == stack.size(); }
  };

  /// The time of a run whose nodes are handed over if they are worth so much, at the least: with
  /// half of what sharing adds once more, because that is only known roughly.
  [[nodiscard]] std::uint64_t play(std::uint64_t worth_min_ns);
  void begin();
  /// Lets one worker do what it can next. False: there is nothing for it now.
  bool step(std::size_t side);
  [[nodiscard]] bool take(std::size_t side);
  /// Something that there would not be on one worker.
  void spend(Side& side, std::uint64_t time_ns);
  void run_node(std::size_t side, std::uint32_t node);
  /// True: the last token of the node.
  [[nodiscard]] bool give_tokens(std::size_t side, std::uint32_t counter, std::uint32_t count);
  void push(Side& side, const Ready& ready);
  void pop(Side& side);

  const Topology& topology_;
  // One use.
  NodeCosts costs_;
  const PriorityOrder* order_ = nullptr;
  std::uint64_t hand_over_ns_ = 0;
  std::uint64_t worth_min_ns_ = 0;
  std::uint64_t token_ns_ = 0;
  std::uint64_t bundle_ns_ = 0;
  std::uint64_t push_ns_ = 0;
  std::uint64_t added_ns_ = 0;  // by sharing
  std::uint64_t total_ns_ = 0;  // of the nodes that ran
  Side sides_[2];
  std::unique_ptr<std::uint32_t[]> counters_;
  std::unique_ptr<std::uint8_t[]> last_side_;  // that wrote a line of counters
};

}  // namespace millrace::runtime
