#include "server/observation/trace_export.h"

#include <chrono>
#include <memory>
#include <semaphore>
#include <utility>

#include "base/clock.h"
#include "host/loop_call.h"

namespace millrace::server {

TraceExport::TraceExport(std::unique_ptr<loop::EventLoop> loop)
    : loop_(std::move(loop)),
      connector_(*loop_),
      random_(static_cast<std::uint64_t>(base::steady_clock().now().time_since_epoch().count())) {}

base::Result<std::unique_ptr<TraceExport>> TraceExport::start(const observe::OtlpOptions& options) {
  MR_TRY(std::unique_ptr<loop::EventLoop> loop, loop::EventLoop::create("otlp"));
  std::unique_ptr<TraceExport> made(new TraceExport(std::move(loop)));
  if (options.client.connect.tls)
    MR_TRY_STATUS(made->connector_.prepare(*options.client.connect.tls));
  host::run_on_loop(*made->loop_, [&] {
    made->exporter_ = std::make_unique<observe::OtlpExporter>(
        *made->loop_, made->connector_, made->random_, options);
  });
  return made;
}

TraceExport::~TraceExport() {
  if (exporter_ != nullptr) {
    // Shared with the callback, which may come after the time is over.
    const auto done = std::make_shared<std::binary_semaphore>(0);
    exporter_->flush([done] { done->release(); });
    (void)done->try_acquire_for(std::chrono::seconds(1));
    host::run_on_loop(*loop_, [&] { exporter_.reset(); });
  }
  loop_->stop();
}

}  // namespace millrace::server
