#pragma once

#include <string>

// What the main functions of all programs have in common.

namespace millrace::apps {

/// Makes sure that the descriptors 0 to 2 are taken. Otherwise the first files that are opened get
/// the numbers of closed ones, and answers are written into them. Reading from or writing to one
/// that was closed stays an error.
void reserve_standard_descriptors();

/// Prepares the process, calls `run` and gives its exit code. A reader that went away and a file
/// that may not grow are failed writes afterwards, not the end of the process. What a library
/// throws where nobody expected it ends the program with a reason on standard error and the code 1.
[[nodiscard]] int run_program(const std::string& name,
                              int (*run)(int argc, char** argv),
                              int argc,
                              char** argv);

}  // namespace millrace::apps
