#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "observe/finished_request.h"
#include "trace/trace_buffer.h"
#include "trace/trace_writer.h"

// For tests only: finished requests to export.

namespace millrace::observe::testing {

/// A request of one run: a source, and a node that asks a store twice, the second time in vain.
inline FinishedRequest finished_request(std::uint64_t span = 0xabc) {
  auto topology = std::make_shared<trace::TraceTopology>();
  topology->plan = "home";
  topology->nodes.push_back({.id = "src", .op = "fixed_source"});
  topology->nodes.push_back({.id = "fetch", .op = "hydrate", .is_async = true});
  const auto at = [](int us) { return base::TimePoint(std::chrono::microseconds(us)); };
  trace::TraceBuffer buffer(64);
  const trace::TraceContext context(
      trace::TraceId(7), trace::TraceFlag::All, trace::TraceTopologyId(1));
  trace::TraceWriter writer(buffer, context);
  writer.run_start(at(110));
  writer.node_start_queued(0, at(110), at(120));
  writer.node_end(0, at(150), trace::SpanStatus::Ok);
  writer.node_start_inlined(1, 0, 1, at(150));
  writer.node_error(1, at(400), base::ErrorCode::kUnavailable);
  writer.node_end(1, at(400), trace::SpanStatus::Error);
  writer.run_end(at(410), {.status = trace::SpanStatus::Error, .executed_count = 2});
  trace::RunCapture capture{
      .topology = std::move(topology),
      .nodes = {{.rows_out = 5},
                {.endpoint = "redis_main",
                 .endpoint_kind = "redis",
                 .rows_in = 5,
                 .calls = {{.start = at(160), .end = at(250), .commands = 5, .round_trips = 1},
                           {.start = at(260),
                            .end = at(390),
                            .commands = 1,
                            .error = base::ErrorCode::kUnavailable}}}}};
  buffer.drain(capture.records);
  return {.trace = {.trace = {.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736},
                    .parent = 0xf067aa0ba902b7,
                    .is_sampled = true},
          .span = span,
          .method = "POST",
          .route = "/v1/rank/{plan}",
          .plan = "home",
          .version = "v3",
          .engine_request_id = "e1",
          .error = "endpoint_unavailable",
          .status = 502,
          .start = at(100),
          .end = at(500),
          .wall_offset = std::chrono::seconds(1'700'000'000),
          .capture = std::make_shared<const trace::RunCapture>(std::move(capture))};
}

}  // namespace millrace::observe::testing
