#pragma once

#include <expected>
#include <functional>
#include <string>

#include "server/problem.h"
#include "server/route_table.h"

namespace millrace::server {

/// An admin request (S26, S28, S29) after its body was read.
struct AdminOrder {
  RouteAction action = RouteAction::kReload;
  std::string plan = {};
  std::string version = {};
  double percent = 0;
  std::string artifact = {};
  bool is_dry_run = false;
};

/// Who does what admin requests ask for.
/// Threading: any thread.
class AdminDesk {
 public:
  /// The JSON of the answer, or what is wrong.
  using Reply = std::expected<std::string, RequestProblem>;

  virtual ~AdminDesk() = default;
  /// `done` is called once, on any thread, perhaps before this returns.
  virtual void submit(AdminOrder order, std::function<void(Reply)> done) = 0;
};

}  // namespace millrace::server
