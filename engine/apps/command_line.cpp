#include "apps/command_line.h"

#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/did_you_mean.h"
#include "base/format.h"

namespace millrace::apps {
namespace {

bool is_option(std::string_view word) { return word.size() > 2 && word.starts_with("--"); }

void add_names(const CLI::App& app, std::vector<std::string>& options) {
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
}

// The subcommand that the words name, as far as they name one.
const CLI::App* find_subcommand(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* here = &app;
  for (int word = 1; word < argc; ++word) {
    for (const CLI::App* const sub : here->get_subcommands({})) {
      if (sub->get_name() == argv[word]) {
        here = sub;
        break;
      }
    }
  }
  return here;
}

// `topoexec graph run`.
std::string full_name(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

// The commands that a program or a command has.
std::string say_commands(const CLI::App& app) {
  std::string names;
  for (const CLI::App* const other : app.get_subcommands({}))
    names += (names.empty() ? "" : ", ") + other->get_name();
  return base::format("`{}` has the commands: {}", full_name(app), names);
}

// What to say about a word that is no option, subcommand or file: what comes nearest.
std::string say_unknown(const CLI::App& app, const CLI::App& sub, std::string_view word) {
  std::vector<std::string> names;
  if (is_option(word)) {
    add_names(app, names);
    if (&sub != &app) add_names(sub, names);
  } else {
    for (const CLI::App* const other : sub.get_subcommands({})) names.push_back(other->get_name());
  }
  const std::string_view name = word.substr(0, word.find('='));
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::string hint = base::did_you_mean(name, known);
  if (hint.empty() && !is_option(word) && !names.empty())
    hint = base::format("; {}", say_commands(sub));
  return base::format(
      "{} '{}'{}", is_option(word) ? "There is no option" : "Not expected here:", name, hint);
}

// The text between two others, or nothing where they do not stand there.
std::optional<std::string_view> find_between(std::string_view text,
                                             std::string_view before,
                                             std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return std::nullopt;
  const std::size_t from = start + before.size();
  const std::size_t end = after.empty() ? text.size() : text.find(after, from);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(from, end - from);
}

// The library says what is wrong to programmers ("Could not convert: --count = many"); this says it
// to whoever typed the command.
std::string say_mistake(const CLI::App& sub, std::string_view text) {
  if (const auto name = find_between(text, "Could not convert: ", " = "))
    return base::format("{}: '{}' is not a number", *name, *find_between(text, " = ", ""));
  const auto option = find_between(text, "", ": ");
  if (const auto value = find_between(text, ": Value ", " not in range "); option && value) {
    return base::format("{}: '{}' is not a number from {}",
                        *option,
                        *value,
                        *find_between(text, " not in range ", ""));
  }
  if (const auto value = find_between(text, ": ", " not in {"); option && value) {
    std::string choices;
    const std::string_view listed = find_between(text, " not in {", "}").value_or("");
    for (const char letter : listed)
      choices += letter == ',' ? std::string(", ") : std::string(1, letter);
    return base::format("{}: '{}' is none of {}", *option, *value, choices);
  }
  if (text.contains(" unit not recognized")) {
    return base::format("{}: a size is a number and a unit, as 500, 64MB or 2GiB",
                        option.value_or(""));
  }
  if (option && text.contains(" required ") && text.ends_with(" missing"))
    return base::format("{} needs a value", *option);
  if (option && text.contains("At Most 1 required"))
    return base::format("{} is given more than once", *option);
  if (text == "A subcommand is required") return say_commands(sub);
  if (const auto name = find_between(text, "", " is required"))
    return base::format("`{}` needs {}", full_name(sub), *name);
  return std::string(text);
}

// The options of the whole program, for the help of a subcommand.
std::string shared_options(const CLI::App& app) {
  std::string text = CLI::Formatter().make_groups(&app, CLI::AppFormatMode::Normal);
  while (!text.empty() && text.front() == '\n') text.erase(0, 1);
  return "Options of all subcommands:\n" + text.substr(text.find('\n') + 1);
}

void finish_subcommands(CLI::App& app, const CLI::App& root, const std::string& exit_codes) {
  for (CLI::App* const sub : app.get_subcommands({})) {
    finish_subcommands(*sub, root, exit_codes);
    sub->footer([&root, exit_codes] { return shared_options(root) + "\n" + exit_codes; });
  }
}

}  // namespace

void finish_command_line(CLI::App& app, const std::string& exit_codes) {
  app.set_version_flag("--version", app.get_name() + " " + MR_VERSION, "print the version and end");
  app.footer(exit_codes);
  finish_subcommands(app, app, exit_codes);
}

std::expected<void, EarlyExit> parse_command_line(CLI::App& app,
                                                  int argc,
                                                  const char* const* argv) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::ParseError& error) {
    const CLI::App& sub = *find_subcommand(app, argc, argv);
    const std::vector<std::string> left = app.remaining(true);
    // A misspelt subcommand is left over, and then one is missing.
    const bool is_unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                            dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    if (is_unknown && !left.empty()) {
      return std::unexpected(EarlyExit{2,
                                       base::format("{}\nRun with --help for more information.\n",
                                                    say_unknown(app, sub, left.front()))});
    }
    // Not a mistake: --help and --version.
    if (error.get_exit_code() == 0) {
      std::ostringstream out;
      static_cast<void>(app.exit(error, out, out));
      return std::unexpected(EarlyExit{0, out.str()});
    }
    return std::unexpected(EarlyExit{2,
                                     base::format("{}\nRun with --help for more information.\n",
                                                  say_mistake(sub, error.what()))});
  }
}

}  // namespace millrace::apps
