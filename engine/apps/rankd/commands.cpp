#include "apps/rankd/commands.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "apps/rankd/bench.h"
#include "apps/rankd/doctor.h"
#include "apps/rankd/extensions.h"
#include "apps/rankd/line_server.h"
#include "apps/rankd/process_log.h"
#include "apps/rankd/registry_json.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "host/engine.h"
#include "host/project.h"
#include "plan/explain.h"
#include "stores/seed_data.h"
#include "tasks/manifest.h"

namespace millrace::rankd {
namespace {

constexpr int kOk = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int fail(const host::StartError& error) {
  std::string text = error.text;
  if (!text.ends_with('\n')) text += '\n';
  std::fprintf(stderr, "rankd: %s", text.c_str());
  return kFailed;
}

int list_plans(const Flags& flags, const host::Project& project) {
  const auto files = project.load_plans(flags);
  if (!files) return fail(files.error());
  bool all_good = true;
  for (const host::PlanFile& file : *files) {
    if (file.plan) {
      print(base::format(
          "{:<24} {:>3} nodes  {}\n", (*file.plan)->name, (*file.plan)->nodes.size(), file.path));
    } else {
      print(base::format("{:<24} invalid    {}\n", "-", file.path));
      all_good = false;
    }
  }
  return all_good ? kOk : kFailed;
}

int check(const Flags& flags, const host::Project& project) {
  const auto files = project.load_plans(flags);
  if (!files) return fail(files.error());
  std::string out;
  base::JsonWriter json(out);
  bool all_good = true;
  if (flags.format == Format::kJson) json.begin_array();
  for (const host::PlanFile& file : *files) {
    all_good &= file.plan.has_value();
    if (flags.format == Format::kJson) {
      json.begin_object();
      json.member("file", file.path);
      json.member("ok", file.plan.has_value());
      json.key("problems");
      if (file.plan) {
        base::write_json((*file.plan)->warnings, json);
      } else {
        file.plan.error().write_json(json);
        const std::size_t more = file.plan.error().dropped_count();
        if (more != 0) json.member("more_problems", more);
      }
      json.end_object();
    } else if (file.plan) {
      out += base::format("{}: ok\n", file.path);
      for (const base::Problem& warning : (*file.plan)->warnings) {
        plan::ProblemReport report;
        report.add(warning);
        out += report.to_text();
      }
    } else {
      out += base::format("{}:\n{}", file.path, file.plan.error().to_text());
    }
  }
  if (flags.format == Format::kJson) json.end_array();
  if (!out.ends_with('\n')) out += '\n';
  print(out);
  return all_good ? kOk : kFailed;
}

int explain(const Flags& flags, const host::Project& project) {
  if (flags.plan_name.empty()) {
    std::fputs("rankd: explain needs the name of a plan\n", stderr);
    return kUsage;
  }
  Flags loaded = flags;
  const bool is_file = flags.plan_name.ends_with(".json");
  if (is_file) loaded.plan_files = {flags.plan_name};
  const auto files = project.load_plans(loaded);
  if (!files) return fail(files.error());
  for (const host::PlanFile& file : *files) {
    if (is_file && !file.plan) return fail({file.plan.error().to_text()});
    if (!file.plan || (!is_file && (*file.plan)->name != flags.plan_name)) continue;
    const plan::PlanExplanation explanation(**file.plan, project.registry());
    if (flags.format == Format::kText) {
      print(explanation.to_text());
      return kOk;
    }
    std::string out;
    base::JsonWriter json(out);
    explanation.write_json(json);
    print(out + "\n");
    return kOk;
  }
  return fail(
      {base::format("No valid plan has the name '{}'; --list-plans shows all", flags.plan_name)});
}

int write_seed(const Flags& flags) {
  const stores::SeedOptions options{.users = flags.seed_users, .seed = flags.seed_seed};
  base::Status written;
  if (flags.seed_out.empty()) {
    written = stores::write_seed_data(options, std::cout);
  } else {
    std::ofstream file(flags.seed_out, std::ios::binary);
    if (!file) return fail({base::format("Cannot write '{}'", flags.seed_out)});
    written = stores::write_seed_data(options, file);
    file.close();
    if (written && !file) return fail({base::format("Cannot write '{}'", flags.seed_out)});
  }
  return written ? kOk : fail({written.error().to_string()});
}

int with_engine(Flags flags, const host::Project& project) {
  ProcessLog log(flags);
  flags.log = &log.logger();
  auto engine = host::Engine::start(flags, project);
  if (!engine) return fail(engine.error());
  bool all_good = false;
  if (flags.command == Subcommand::kRun) {
    all_good = serve_lines(**engine, std::cin, std::cout);
  } else {
    const BenchResult result = run_bench(**engine, flags);
    print(flags.format == Format::kJson ? to_json(result) : to_text(result));
    all_good = result.failed == 0;
  }
  if (const auto closed = (*engine)->close_trace_dump(); !closed) return fail(closed.error());
  return all_good ? kOk : kFailed;
}

}  // namespace

int run_command(const Flags& flags) {
  if (flags.command == Subcommand::kSeed) return write_seed(flags);
  if (flags.command == Subcommand::kServe) {
    std::fputs("rankd: this build has no network front; use `rankd run`\n", stderr);
    return kUsage;
  }
  if (flags.command == Subcommand::kDoctor) return run_doctor(flags);
  const auto project = host::Project::open(flags, rankd_extensions());
  if (!project) return fail(project.error());
  switch (flags.command) {
    case Subcommand::kPrintRegistry:
      print(registry_json((*project)->registry()) + "\n");
      return kOk;
    case Subcommand::kPrintTaskManifest:
      print(tasks::make_manifest((*project)->tasks()));
      return kOk;
    case Subcommand::kListPlans:
      return list_plans(flags, **project);
    case Subcommand::kCheck:
      return check(flags, **project);
    case Subcommand::kExplain:
      return explain(flags, **project);
    default:
      return with_engine(flags, **project);
  }
}

}  // namespace millrace::rankd
