#include "apps/rankd/doctor.h"

#include <chrono>
#include <cstdio>
#include <string>

#include "apps/rankd/engine.h"
#include "apps/rankd/http_probe.h"
#include "apps/rankd/project.h"
#include "apps/rankd/redis_probe.h"
#include "apps/rankd/waiting_call.h"
#include "base/format.h"
#include "rank/request.h"

namespace millrace::rankd {
namespace {

class Checklist {
 public:
  void good(const std::string& what) { std::printf("ok    %s\n", what.c_str()); }
  void bad(const std::string& what, const std::string& advice) {
    std::printf("FAIL  %s\n      %s\n", what.c_str(), advice.c_str());
    all_good_ = false;
  }
  [[nodiscard]] int exit_code() const { return all_good_ ? 0 : 1; }

 private:
  bool all_good_ = true;
};

std::string describe(const plan::EndpointInfo& endpoint) {
  const std::string where = endpoint.unix_path.empty()
                                ? base::format("{}:{}", endpoint.host, endpoint.port)
                                : endpoint.unix_path;
  return base::format(
      "endpoint {}: {} at {}", endpoint.name, plan::to_string(endpoint.kind), where);
}

void check_redis(const plan::EndpointInfo& endpoint, const std::string& root, Checklist& list) {
  if (const auto took = probe_redis(endpoint, root)) {
    list.good(base::format("{}: answered in {:.2f} ms",
                           describe(endpoint),
                           std::chrono::duration<double, std::milli>(*took).count()));
  } else {
    list.bad(describe(endpoint),
             took.error().message() + "; nodes that use it fail. Use --env dev for embedded data.");
  }
}

void check_http(const plan::EndpointInfo& endpoint, const std::string& root, Checklist& list) {
  if (const auto status = probe_http(endpoint, root)) {
    list.good(base::format("{}: answered with status {}", describe(endpoint), *status));
  } else {
    list.bad(describe(endpoint),
             status.error().message() +
                 "; nodes that use it fail, or take their on_failure. Start the server, or correct "
                 "registry/endpoints.toml.");
  }
}

void check_endpoints(const Project& project, Checklist& list) {
  for (const plan::EndpointInfo& endpoint : project.registry().endpoints()) {
    switch (endpoint.kind) {
      case plan::EndpointKind::kEmbedded:
        list.good(base::format("endpoint {}: embedded data {}", endpoint.name, endpoint.data_file));
        break;
      case plan::EndpointKind::kRedis:
        check_redis(endpoint, project.root(), list);
        break;
      case plan::EndpointKind::kHttp:
        check_http(endpoint, project.root(), list);
        break;
    }
  }
}

void check_plans(const Project& project, const Flags& flags, Checklist& list) {
  const auto files = project.load_plans(flags);
  if (!files) return list.bad("plans", files.error().text);
  for (const PlanFile& file : *files) {
    if (file.plan) {
      list.good(base::format("plan {}: {} nodes", (*file.plan)->name, (*file.plan)->nodes.size()));
    } else {
      list.bad(base::format("plan file {}", file.path), file.plan.error().to_text());
    }
  }
}

void check_answers(const Project& project, const Flags& flags, Checklist& list) {
  auto engine = Engine::start(flags, project);
  if (!engine) return list.bad("engine", engine.error().text);
  rank::RequestReader reader;
  for (const std::string_view name : (*engine)->plans().names()) {
    WaitingCall call;
    call.run((*engine)->ranker(0),
             reader,
             base::format(R"({{"user_id": 1, "deadline_ms": 1000, "plan": "{}"}})", name));
    if (call.ok()) {
      list.good(base::format("request to {}: answered in {:.2f} ms",
                             name,
                             std::chrono::duration<double, std::milli>(call.took()).count()));
    } else {
      list.bad(base::format("request to {}", name), call.response());
    }
  }
}

}  // namespace

int run_doctor(const Flags& flags) {
  Checklist list;
  const auto project = Project::open(flags);
  if (!project) {
    list.bad("registry and tasks", project.error().text);
    return list.exit_code();
  }
  list.good(base::format("registry: {} keys, {} params, {} endpoints ({})",
                         (*project)->registry().keys().size(),
                         (*project)->registry().params().size(),
                         (*project)->registry().endpoints().size(),
                         flags.env));
  list.good(base::format("tasks: {}", (*project)->tasks().tasks().size()));
  check_endpoints(**project, list);
  check_plans(**project, flags, list);
  check_answers(**project, flags, list);
  return list.exit_code();
}

}  // namespace millrace::rankd
