#pragma once

#include <expected>
#include <functional>
#include <string>

#include "host/generation.h"
#include "server/graphs/graph_desk.h"
#include "server/problem.h"
#include "server/route_table.h"

namespace millrace::server {

/// Finds what makes the page of a route about graphs (S59), or says what is not there.
/// `desk` is null where no graph runs.
[[nodiscard]] std::expected<std::function<std::string()>, RequestProblem> graph_page(
    const GraphDesk* desk, const Route& route, const RouteMatch& match);

/// Whether one of the plans reads tables of the graph in this process.
[[nodiscard]] bool reads_graph(const host::Generation& generation);

}  // namespace millrace::server
