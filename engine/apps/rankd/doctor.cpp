#include "apps/rankd/doctor.h"

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "apps/rankd/extensions.h"
#include "apps/rankd/graph_run.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/problems/message_text.h"
#include "host/engine.h"
#include "host/project.h"
#include "host/waiting_call.h"
#include "rank/request.h"

namespace millrace::rankd {
namespace {

class Checklist {
 public:
  Checklist(Output& out, bool as_json) : out_(out), as_json_(as_json) {
    if (as_json_) json_.begin_array();
  }
  void good(const std::string& what) { note(true, what, ""); }
  void bad(const std::string& what, const std::string& advice) { note(false, what, advice); }
  /// Ends the list.
  [[nodiscard]] int finish() {
    if (as_json_) {
      json_.end_array();
      out_.write(text_ + "\n");
    }
    return all_good_ ? 0 : 1;
  }

 private:
  void note(bool is_good, const std::string& what, const std::string& advice) {
    all_good_ &= is_good;
    if (!as_json_) {
      out_.write(base::printable(is_good ? base::format("ok    {}\n", what)
                                         : base::format("FAIL  {}\n      {}\n", what, advice)));
      return;
    }
    json_.begin_object();
    json_.member("ok", is_good);
    json_.member("what", what);
    if (!is_good) json_.member("advice", advice);
    json_.end_object();
  }

  Output& out_;
  const bool as_json_;
  std::string text_;
  base::JsonWriter json_{text_};
  bool all_good_ = true;
};

std::string describe(const plan::EndpointInfo& endpoint) {
  if (endpoint.kind == plan::EndpointKind::kEmbedded || endpoint.kind == plan::EndpointKind::kGraph)
    return base::format("endpoint {}", endpoint.name);
  const std::string where = endpoint.unix_path.empty()
                                ? base::format("{}:{}", endpoint.host, endpoint.port)
                                : endpoint.unix_path;
  return base::format(
      "endpoint {}: {} at {}", endpoint.name, plan::to_string(endpoint.kind), where);
}

// The endpoints that nodes of the loaded plans name.
std::set<std::string> used_endpoints(const host::Project& project, const Flags& flags) {
  std::set<std::string> used;
  const auto files = project.load_plans(flags);
  if (!files) return used;
  for (const host::PlanFile& file : *files) {
    if (!file.plan) continue;
    for (const plan::CompiledNode& node : (*file.plan)->nodes) {
      for (const plan::ParamValue& param : node.params) {
        if (const auto* const id = std::get_if<plan::EndpointId>(&param))
          used.insert(project.registry().endpoint(*id).name);
      }
    }
  }
  return used;
}

void check_endpoints(const host::Project& project, const Flags& flags, Checklist& list) {
  const std::set<std::string> used = used_endpoints(project, flags);
  for (const plan::EndpointInfo& endpoint : project.registry().endpoints()) {
    if (!used.contains(endpoint.name)) {
      list.good(base::format("{}: not asked, no loaded plan uses it", describe(endpoint)));
      continue;
    }
    tasks::EndpointDriver* const driver = project.extensions().find_driver(endpoint.kind);
    if (driver == nullptr) continue;  // reported when the engine starts
    const auto answer = driver->probe({.endpoint = endpoint, .root = project.root()});
    if (answer) {
      list.good(base::format("{}: {}", describe(endpoint), *answer));
    } else {
      list.bad(describe(endpoint), answer.error().message());
    }
  }
}

void check_plans(const host::Project& project, const Flags& flags, Checklist& list) {
  const auto files = project.load_plans(flags);
  if (!files) return list.bad("plans", files.error().text);
  for (const host::PlanFile& file : *files) {
    if (file.plan) {
      list.good(base::format("plan {}: {} nodes", (*file.plan)->name, (*file.plan)->nodes.size()));
    } else {
      list.bad(base::format("plan file {}", file.path), file.plan.error().to_text());
    }
  }
}

// Lists the settings that decide how nodes are scheduled, and where each comes from.
void show_settings(const Flags& flags, const host::Engine& engine, Checklist& list) {
  const auto show = [&](std::string_view name, const auto& value, std::string_view otherwise) {
    const std::string flag = "--" + std::string(name);
    list.good(base::format(
        "setting {}: {} ({})", name, value, flags.given.contains(flag) ? flag : otherwise));
  };
  const auto us = [](base::Duration time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  };
  show("loops", engine.loop_count(), "by processors and endpoints");
  show("cpu_threads", engine.workers().worker_count(), "all processors");
  show("pin", flags.pin, "default");
  show("inline_threshold_us", us(flags.inline_threshold), "default");
  show("loop_inline_budget_us", us(flags.loop_inline_budget), "default");
  show("max_inline_depth",
       flags.max_inline_depth ? base::format("{}", *flags.max_inline_depth) : "no bound",
       "default");
  show("no_inline", !flags.inlining, "default");
  show("no_chaining", !flags.chaining, "default");
  show("high_water", flags.high_water, "default");
  show("inflight_max", flags.inflight_max, "default");
  show("max_rows", flags.row_limits.rows_max, "default");
  show("max_request_memory", flags.row_limits.bytes_max, "default");
}

void check_answers(const host::Project& project,
                   const Flags& flags,
                   bridge::GraphHost* graph,
                   Checklist& list) {
  auto engine = host::Engine::start(flags, project);
  if (!engine) return list.bad("engine", engine.error().text);
  GraphRun graph_run(graph);
  if (auto started = graph_run.start(**engine, nullptr); !started)
    return list.bad("graph", started.error().text);
  if (graph != nullptr) list.good(base::format("graph {}: it starts", graph->name()));
  show_settings(flags, **engine, list);
  rank::RequestReader reader;
  for (const std::string_view name : (*engine)->plans().names()) {
    host::WaitingCall call;
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

int run_doctor(const Flags& given, Output& out) {
  Checklist list(out, given.format == Format::kJson);
  Flags flags = given;
  const auto graph = load_graph(flags.graph_file, flags);
  if (!graph) {
    list.bad("graph", graph.error().text);
    return list.finish();
  }
  const auto project = host::Project::open(flags, rankd_extensions(graph->get()));
  if (!project) {
    list.bad("registry and tasks", project.error().text);
    return list.finish();
  }
  list.good(base::format("registry: {} keys, {} params, {} endpoints ({})",
                         (*project)->registry().keys().size(),
                         (*project)->registry().params().size(),
                         (*project)->registry().endpoints().size(),
                         flags.env));
  list.good(base::format("tasks: {}", (*project)->tasks().tasks().size()));
  check_endpoints(**project, flags, list);
  check_plans(**project, flags, list);
  check_answers(**project, flags, graph->get(), list);
  return list.finish();
}

}  // namespace millrace::rankd
