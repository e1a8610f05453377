#pragma once

#include "host/extensions.h"

namespace millrace::rankd {

/// The tasks and kinds of endpoints that `rankd` supports.
[[nodiscard]] host::Extensions rankd_extensions();

}  // namespace millrace::rankd
