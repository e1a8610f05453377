#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "host/host_fixture.h"
#include "host/waiting_call.h"
#include "server/generations/plan_reloader.h"

// For tests only: a reloader with an engine and a folder that a test may change, without a network.

namespace millrace::server::testing {

/// A plan of so many rows.
inline std::string rows_plan(std::string_view name, int rows, std::string_view version = "") {
  return base::format(
      R"({{"schema_version":1,"name":"{}",{}"nodes":[{{"id":"src","op":"fixed_source",)"
      R"("inputs":[],"params":{{"row_count":{}}}}}],"outputs":["src"],"output_keys":["id"]}})",
      name,
      version.empty() ? "" : base::format(R"("version":"{}",)", version),
      rows);
}

/// Threading: not shared.
class ReloadRig {
 public:
  ReloadRig() {
    for (const char* name : {"registry", "data"}) {
      std::filesystem::copy(std::string(MILLRACE_SOURCE_DIR) + "/" + name,
                            folder.path() + "/" + name,
                            std::filesystem::copy_options::recursive);
    }
    std::filesystem::create_directory(folder.path() + "/plans");
    settings.root = folder.path();
    put("a", rows_plan("a", 1));
    put("b", rows_plan("b", 1));
  }
  ~ReloadRig() {
    reloader.reset();
    published = {};
  }

  void put(const std::string& file, std::string_view text) const {
    folder.write("plans/" + file + ".plan.json", text);
  }
  void remove(const std::string& file) const {
    std::filesystem::remove(folder.path() + "/plans/" + file + ".plan.json");
  }
  /// Starts engine and reloader.
  std::expected<void, host::StartError> start() {
    reloader.reset();
    published = {};
    std::shared_ptr<const host::Project> project = host::testing::open_project(settings);
    auto started = host::Engine::start(settings, project);
    MR_CHECK(started.has_value(), started ? "" : started.error().text);
    engine = *std::move(started);
    parts.engine = engine.get();
    parts.settings = settings;
    parts.extensions = host::testing::all_extensions;
    parts.readiness = &readiness;
    parts.log = &log;
    parts.publish = [this](Publication next) {
      ++publication_count;
      published = std::move(next);
    };
    reloader = std::make_unique<PlanReloader>(parts);
    return reloader->begin();
  }
  /// Rows that a plan gives to a user now; 0: it gives none.
  int rows(std::string_view plan, int user = 1) {
    host::WaitingCall call;
    rank::RequestReader reader;
    call.run(published.generation->ranker(0),
             reader,
             base::format(R"({{"user_id":{},"plan":"{}","limit":1000}})", user, plan));
    return static_cast<int>(call.candidate_count());
  }
  [[nodiscard]] std::string log_text() const {
    std::string all;
    for (const std::string& line : sink.lines()) all += line + "\n";
    return all;
  }

  host::testing::TempFolder folder;
  base::MemoryLogSink sink;
  base::Logger log{sink};
  host::Settings settings = host::testing::repository_settings();
  Readiness readiness;
  PlanReloader::Parts parts;
  std::unique_ptr<host::Engine> engine;
  Publication published;
  int publication_count = 0;
  std::unique_ptr<PlanReloader> reloader;
};

}  // namespace millrace::server::testing
