#pragma once

#include <string_view>

namespace millrace::nats {

/// Whether a text is a subject that messages can be sent to: tokens separated by dots, none of them
/// empty, no wildcards, no spaces or control bytes.
[[nodiscard]] bool is_subject(std::string_view text);

}  // namespace millrace::nats
