#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace millrace::rankd {

/// What a server answered.
struct AskedPage {
  int status = 0;
  std::string body = {};
};
/// Asks a server for a page of at most 64 MiB. `address` is as `--listen` has it. Blocks for at
/// most `limit`.
[[nodiscard]] base::Result<AskedPage> ask_page(const std::string& address,
                                               const std::string& path,
                                               base::Duration limit);

/// Asks a server for a page and gives its status. `address` is as `--listen` has it. Blocks for at
/// most `limit`.
[[nodiscard]] base::Result<int> ask_status(const std::string& address,
                                           const std::string& path,
                                           base::Duration limit);

/// Runs `rankd probe ADDR`: exit code 0 if the server is ready, else 1 and a line on stderr that
/// says why.
[[nodiscard]] int run_probe(const std::string& address);

}  // namespace millrace::rankd
