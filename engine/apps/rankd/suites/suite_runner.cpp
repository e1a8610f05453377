#include "apps/rankd/suites/suite_runner.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "apps/rankd/extensions.h"
#include "apps/rankd/suites/expectation.h"
#include "apps/rankd/suites/suite_data.h"
#include "apps/rankd/suites/suite_reader.h"
#include "host/engine.h"
#include "host/project.h"
#include "host/waiting_call.h"
#include "rank/request.h"
#include "stores/embedded_store.h"

namespace millrace::rankd {
namespace {

/// Puts the data in the place of every store.
base::Status replace_stores(host::Extensions& extensions, const Suite& suite) {
  if (!suite.data) return {};
  MR_TRY(const auto data, stores::EmbeddedStore::parse(*suite.data, suite.data_name));
  const auto is_store = [](const auto& driver) {
    return driver->client_kind() == tasks::ClientKind::kStore;
  };
  std::erase_if(extensions.drivers, is_store);
  for (const plan::EndpointKind kind :
       {plan::EndpointKind::kEmbedded, plan::EndpointKind::kRedis, plan::EndpointKind::kGraph})
    extensions.drivers.push_back(std::make_unique<SuiteDataDriver>(kind, data));
  return {};
}

void run_cases(host::Engine& engine, const Suite& suite, SuiteResult& result) {
  rank::RequestReader reader;
  for (const SuiteCase& one : suite.cases) {
    host::WaitingCall call;
    call.run(engine.ranker(0), reader, one.request);
    result.cases.push_back({.name = one.name,
                            .line = one.line,
                            .took = call.took(),
                            .failures = find_failures(one.expect, read_answer(call.response()))});
  }
}

}  // namespace

std::size_t SuiteResult::failed_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cases, [](const CaseResult& one) { return !one.failures.empty(); }));
}

std::vector<std::string> find_suites(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().string().ends_with(".test.json")) files.push_back(file->path().string());
  }
  std::ranges::sort(files);
  return files;
}

SuiteResult run_suite(const host::Settings& settings, const std::string& path) {
  SuiteResult result{.file = path};
  const auto suite = read_suite(path);
  if (!suite) {
    result.problems = suite.error().to_text();
    return result;
  }
  host::Extensions extensions = rankd_extensions();
  if (const auto replaced = replace_stores(extensions, *suite); !replaced) {
    result.problems = replaced.error().to_string();
    return result;
  }
  host::Settings own = settings;
  own.ids_as_strings = false;
  if (!suite->plan.empty()) own.plan_name = suite->plan;
  const auto project = host::Project::open(own, std::move(extensions));
  if (!project) {
    result.problems = project.error().text;
    return result;
  }
  const auto engine = host::Engine::start(own, **project);
  if (!engine) {
    result.problems = engine.error().text;
    return result;
  }
  run_cases(**engine, *suite, result);
  return result;
}

std::size_t SuiteResults::passed_count() const {
  std::size_t count = 0;
  for (const SuiteResult& suite : suites) count += suite.cases.size() - suite.failed_count();
  return count;
}

std::size_t SuiteResults::failed_count() const {
  std::size_t count = 0;
  for (const SuiteResult& suite : suites)
    count += suite.problems.empty() ? suite.failed_count() : 1;
  return count;
}

}  // namespace millrace::rankd
