#include "plan/check/join_params.h"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "plan/membership.h"

namespace millrace::plan {

std::size_t JoinParams::rhs_input() const {
  const auto* input = std::get_if<InputIndex>(&node_.param(spec_.rhs));
  return input != nullptr ? input->index : node_.inputs.size();
}

const std::vector<std::string>& JoinParams::keys(const std::string& param) const {
  static const std::vector<std::string> none;
  const auto* names = std::get_if<std::vector<std::string>>(&node_.param(param));
  return names != nullptr ? *names : none;
}

const std::vector<std::string>& JoinParams::rhs_by() const {
  const std::vector<std::string>& names = keys(spec_.rhs_by);
  return names.empty() ? by() : names;
}

const std::vector<KeyMove>* JoinParams::columns() const {
  return std::get_if<std::vector<KeyMove>>(&node_.param(spec_.columns));
}

bool JoinParams::takes_columns() const {
  const auto* kind = std::get_if<std::string>(&node_.param(spec_.kind));
  return kind != nullptr && !contains(spec_.kinds_without_columns, *kind);
}

}  // namespace millrace::plan
