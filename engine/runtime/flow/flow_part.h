#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// Optional settings of a flow that is a node of another.
struct PartOptions {
  std::vector<std::string> after = {};
  std::optional<Priority> priority = {};  ///< of its nodes that have none of their own
};

/// Finds the context of an inner flow in that of the outer one.
struct Projection {
  void* (*find)(const void* closure, void* outer) = nullptr;
  std::shared_ptr<const void> closure = {};

  /// `path` is a member of `Outer`, or a function `Inner&(Outer&)` that does not throw.
  template <class Outer, class Inner, class Path>
  [[nodiscard]] static Projection make(Path path) {
    static_assert(std::is_convertible_v<std::invoke_result_t<const Path&, Outer&>, Inner&>,
                  "The path leads from the outer context to a reference to the inner one");
    return {.find = [](const void* closure, void* outer) noexcept -> void* {
              Inner& inner =
                  std::invoke(*static_cast<const Path*>(closure), *static_cast<Outer*>(outer));
              return &inner;
            },
            .closure = std::make_shared<const Path>(std::move(path))};
  }
};

/// Gives the nodes of `inner` as nodes of another flow: named `id/NAME`, with contexts found by
/// `projection`, started after `options.after`. The last one is called `id` and is complete when
/// all of them are, so that others can wait for it.
[[nodiscard]] std::vector<NodeSpec> nodes_of_part(const std::string& id,
                                                  const Topology& inner,
                                                  const Projection& projection,
                                                  const PartOptions& options);

}  // namespace millrace::runtime
