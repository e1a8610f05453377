#include "net/http/gzip_job.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "loop/executor.h"
#include "net/http/gzip.h"

namespace millrace::net {

GzipJob::GzipJob(loop::Executor& home, std::string body, Owner& owner)
    : Job(&pack), home_(home), body_(std::move(body)), owner_(&owner) {}

GzipJob* GzipJob::start(loop::Executor& worker,
                        loop::Executor& home,
                        std::string body,
                        Owner& owner) {
  auto* const job = new GzipJob(home, std::move(body), owner);  // NOLINT: `deliver` deletes it
  worker.post(*job);
  return job;
}

void GzipJob::pack(loop::Job& job) {
  auto& self = static_cast<GzipJob&>(job);
  try {
    std::string packed;
    GzipDeflater().deflate(self.body_, packed);
    self.body_ = std::move(packed);
    self.is_packed_ = true;
  } catch (const std::bad_alloc&) {
  }
  self.run = &deliver;
  self.home_.post(self);
}

void GzipJob::deliver(loop::Job& job) {
  const std::unique_ptr<GzipJob> self(static_cast<GzipJob*>(&job));
  if (self->owner_ != nullptr) self->owner_->on_packed(std::move(self->body_), self->is_packed_);
}

}  // namespace millrace::net
