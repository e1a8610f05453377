#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace millrace::server {

/// One version of a plan, for people.
struct VersionInfo {
  std::string version;
  std::string digest;
  std::string state;        ///< `active`, `canary`, `held` or `kept`
  bool is_in_file = false;  ///< the plan's file has this version
  double percent = 0;       ///< share of the users of a canary
};

struct PlanVersionsInfo {
  bool is_pinned = false;
  std::vector<VersionInfo> versions;
};

/// The versions of all plans of a generation.
using VersionCatalog = std::map<std::string, PlanVersionsInfo, std::less<>>;

}  // namespace millrace::server
