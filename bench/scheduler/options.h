#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// What the command line asks for. Empty lists mean "all that this form measures".
struct Options {
  std::vector<std::string> shapes;   ///< substrings of case names
  std::vector<std::string> engines;  ///< names of engines
  std::vector<std::string> bodies;   ///< names of bodies
  std::vector<unsigned> workers = {1, 2};
  /// Everything, long. Otherwise what bars and README need, in under two minutes.
  bool full = false;
  unsigned repetitions = 0;  ///< 0: as many as the form takes
  unsigned processes = 5;
  std::string json_file;
  std::string commit;                ///< recorded in the JSON file
  std::string subject = "millrace";  ///< the engine that the bars judge
  bool smoke = false;                ///< tiny sizes: checks everything, the times mean nothing
  bool enforce = false;              ///< a missed bar fails the command
  bool pin = false;                  ///< put threads on processors of their own; users do not
  bool unpinned = false;             ///< the full form without its second half, with `pin`
  bool tables = false;               ///< print every shape
  bool list = false;
  bool help = false;
  bool child = false;  ///< measure here and write lines for a parent
};

/// Reads the arguments after the program's name.
[[nodiscard]] base::Result<Options> parse_options(std::span<const std::string_view> arguments);

/// Gives arguments with which a child process measures what `options` ask for.
[[nodiscard]] std::vector<std::string> child_arguments(const Options& options);

[[nodiscard]] std::string_view usage();

}  // namespace millrace::bench
