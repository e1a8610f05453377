#include "rank/unrun_answer.h"

#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"

namespace millrace::rank {

std::string make_unrun_answer(std::string_view request,
                              std::string_view code,
                              std::string_view message) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  if (const auto document = base::read_json(request)) {
    const auto id = document->root().find_member("request_id");
    if (id && id->find_string()) json.member("request_id", *id->find_string());
  }
  json.key("error");
  json.begin_object();
  json.member("code", code);
  json.member("message", message);
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace millrace::rank
