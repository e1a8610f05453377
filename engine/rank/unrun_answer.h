#pragma once

#include <string>
#include <string_view>

namespace millrace::rank {

/// Gives the answer to a request that no run of the engine has answered: nobody was there to take
/// it, or it was given up. Its `request_id` is the request's, if it has one that can be read.
[[nodiscard]] std::string make_unrun_answer(std::string_view request,
                                            std::string_view code,
                                            std::string_view message);

}  // namespace millrace::rank
