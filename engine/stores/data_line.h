#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::stores {

/// Cuts a line into its words and undoes quoting; see embedded_store.h for the form. `words` is
/// filled anew; its strings are used again. Gives the number of words, or says what is wrong.
[[nodiscard]] base::Result<std::size_t> split_words(std::string_view line,
                                                    std::vector<std::string>& words);

/// Appends a word so that split_words and redis-cli read it back, in quotes if it needs them.
void append_word(std::string& out, std::string_view word);

}  // namespace millrace::stores
