#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace millrace::base {

/// A number that is spelt as one but cannot be kept: beyond 64 bits, beyond a double, or not
/// finite.
struct YamlNumberRange {};

/// What an unquoted YAML scalar means in the core schema of YAML 1.2. The string alternative is the
/// text itself.
using YamlScalar = std::variant<std::monostate,
                                bool,
                                std::int64_t,
                                std::uint64_t,
                                double,
                                std::string_view,
                                YamlNumberRange>;

[[nodiscard]] YamlScalar read_yaml_scalar(std::string_view text);

}  // namespace millrace::base
