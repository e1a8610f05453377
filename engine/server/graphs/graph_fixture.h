#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/graphs/graph_desk.h"

namespace millrace::server::testing {

/// Tells about a graph `trending` with a component `counts`.
class FakeGraphDesk final : public GraphDesk {
 public:
  [[nodiscard]] std::string_view name() const override { return "trending"; }
  [[nodiscard]] bool has_component(std::string_view id) const override { return id == "counts"; }
  [[nodiscard]] std::optional<std::string> problem() const override { return failure; }
  void stop() override { ++stop_count; }
  [[nodiscard]] std::string summary() const override { return R"({"name":"trending"})"; }
  [[nodiscard]] std::string page() const override { return R"({"name":"trending","plan":{}})"; }
  [[nodiscard]] std::string why(std::string_view component) const override {
    return R"({"component":")" + std::string(component) + R"("})";
  }

  std::optional<std::string> failure;
  int stop_count = 0;
};

}  // namespace millrace::server::testing
