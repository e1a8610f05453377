#include "jobs/job_manifest.h"

#include "base/error.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"

namespace millrace::jobs {

std::string JobManifest::to_json() const {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("lines", line_count);
  json.member("sha256", digest);
  json.member("plan", plan);
  json.end_object();
  return out;
}

base::Result<JobManifest> JobManifest::read(std::string_view json) {
  const auto document = base::read_json(json);
  const auto fail = [] {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "The manifest of the job is not one that rankd has written");
  };
  if (!document) return fail();
  const auto lines = document->root().find_member("lines");
  const auto digest = document->root().find_member("sha256");
  const auto plan = document->root().find_member("plan");
  if (!lines || !lines->find_int() || *lines->find_int() < 0) return fail();
  if (!digest || !digest->find_string() || !plan || !plan->find_string()) return fail();
  return JobManifest{.line_count = static_cast<std::uint64_t>(*lines->find_int()),
                     .digest = std::string(*digest->find_string()),
                     .plan = std::string(*plan->find_string())};
}

}  // namespace millrace::jobs
