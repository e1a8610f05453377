#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/http_head.h"
#include "server/problem.h"

// What the fields of a request's head say about how to answer it.

namespace millrace::server {

/// The id of a request that its header names (S17), if there is one that may be used: 1 to 128
/// visible ASCII characters. Lifetime: borrows the fields.
[[nodiscard]] std::optional<std::string_view> find_request_id(const net::HttpFields& fields);

/// The least time that the headers give the answer (S18), counted from the end of the head.
[[nodiscard]] std::expected<std::optional<base::Duration>, RequestProblem> find_time_limit(
    const net::HttpFields& fields);

/// Whether a body of this type is read (S13): JSON, no type at all, or what curl sends by default.
/// `is_batch`: lines of JSON, too.
[[nodiscard]] std::expected<void, RequestProblem> check_body_type(const net::HttpFields& fields,
                                                                  bool is_batch);

}  // namespace millrace::server
