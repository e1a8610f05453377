#include "server/descriptor_limit.h"

#include <algorithm>

#include <sys/resource.h>

#include "base/error.h"
#include "base/format.h"

namespace millrace::server {

base::Result<std::uint64_t> choose_descriptor_limit(std::size_t connections_max,
                                                    std::uint64_t soft,
                                                    std::uint64_t hard) {
  const std::uint64_t needed = connections_max + kOtherDescriptors;
  if (needed <= hard) return std::max(soft, needed);
  return base::fail(
      base::ErrorCode::kResourceExhausted,
      base::format("{} connections need {} open files, and this process may have {}: lower "
                   "server.connections_max, or raise the limit (ulimit -n, LimitNOFILE)",
                   connections_max,
                   needed,
                   hard));
}

base::Status raise_descriptor_limit(std::size_t connections_max) {
  rlimit limit{};
  // A limit that cannot be read is not one that keeps the server from starting.
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  MR_TRY(const std::uint64_t wanted,
         choose_descriptor_limit(connections_max, limit.rlim_cur, limit.rlim_max));
  if (wanted == limit.rlim_cur) return {};
  limit.rlim_cur = wanted;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
  return base::fail(base::ErrorCode::kResourceExhausted,
                    base::format("The limit of open files cannot be raised to {}", wanted));
}

}  // namespace millrace::server
