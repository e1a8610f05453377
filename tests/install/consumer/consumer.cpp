// A program of somebody else's: uses an installed millrace and fails if it does not work.

#include <cstdio>
#include <string>

#include "base/json_writer.h"
#include "base/result.h"

namespace {

millrace::base::Result<std::string> greeting(int count) {
  if (count < 1) return millrace::base::fail(millrace::base::ErrorCode::kInvalidArgument, "No one");
  std::string out;
  millrace::base::JsonWriter json(out);
  json.begin_object();
  json.member("guests", count);
  json.end_object();
  return out;
}

}  // namespace

int main() {
  const bool works = greeting(2).value() == R"({"guests":2})" && !greeting(0).has_value();
  std::puts(works ? "consumer works" : "consumer is broken");
  return works ? 0 : 1;
}
