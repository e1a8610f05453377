#pragma once

#include <memory>

#include "base/random.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "net/uv_connector.h"
#include "observe/otlp_exporter.h"

namespace millrace::server {

/// An exporter of traces with a loop of its own, so that no collector can delay a request (S41).
/// Threading: made and destroyed by one thread outside the loop.
class TraceExport {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<TraceExport>> start(
      const observe::OtlpOptions& options);
  /// Tries for at most a second to send what waits.
  ~TraceExport();
  TraceExport(const TraceExport&) = delete;
  TraceExport& operator=(const TraceExport&) = delete;

  [[nodiscard]] observe::OtlpExporter& exporter() { return *exporter_; }

 private:
  explicit TraceExport(std::unique_ptr<loop::EventLoop> loop);

  std::unique_ptr<loop::EventLoop> loop_;
  net::UvConnector connector_;
  base::SplitMix64 random_;
  std::unique_ptr<observe::OtlpExporter> exporter_;  // made and destroyed on the loop
};

}  // namespace millrace::server
