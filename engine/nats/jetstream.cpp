#include "nats/jetstream.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_reader.h"

namespace millrace::nats {
namespace {

// Codes of the server (nats-server, server/errors.json).
constexpr std::int64_t kStreamNotFound = 10059;
constexpr std::int64_t kStreamIsOther = 10058;
constexpr std::int64_t kConsumerNotFound = 10014;
constexpr std::int64_t kWrongLastSequence = 10071;
constexpr std::int64_t kStoreFailed = 10077;
constexpr std::int64_t kNoStorage = 10047;

std::int64_t int_of(const base::JsonValue& object, std::string_view name) {
  const auto member = object.find_member(name);
  return member ? member->find_int().value_or(0) : 0;
}

std::uint64_t count_of(const base::JsonValue& object, std::string_view name) {
  return static_cast<std::uint64_t>(int_of(object, name));
}

struct ServerError {
  std::int64_t code = 0;  // 0: there is none
  std::string text;
};

ServerError error_of(const base::JsonValue& root) {
  const auto error = root.find_member("error");
  if (!error) return {};
  const auto text = error->find_member("description");
  return {.code = std::max<std::int64_t>(int_of(*error, "err_code"), 1),
          .text = std::string(text ? text->find_string().value_or("") : "")};
}

/// An answer of the server, read.
struct Answer {
  base::JsonDocument document;
  ServerError error;
};

base::Result<Answer> ask_server(RequestBox& box, const std::string& subject, std::string body) {
  auto answer = box.ask_and_wait({.subject = "$JS.API." + subject, .data = std::move(body)},
                                 JetStream::kLimit);
  if (!answer && answer.error().code() == base::ErrorCode::kNotFound) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "The NATS server has no JetStream for this user (start it with -js)");
  }
  if (!answer) {
    return base::fail(answer.error().code(),
                      base::format("JetStream does not answer {}: {}; the user may lack rights",
                                   subject,
                                   answer.error().message()));
  }
  auto document = base::read_json(answer->data);
  if (!document)
    return base::fail(base::ErrorCode::kUnavailable, "JetStream gave an answer that is no JSON");
  Answer read{.document = *std::move(document), .error = {}};
  read.error = error_of(read.document.root());
  return read;
}

std::unexpected<base::Error> fail_by(const ServerError& error, std::string_view what) {
  const base::ErrorCode code = error.code == kStreamIsOther ? base::ErrorCode::kInvalidArgument
                               : error.code == kNoStorage   ? base::ErrorCode::kResourceExhausted
                                                            : base::ErrorCode::kUnavailable;
  return base::fail(code, base::format("{}: {}", what, error.text));
}

}  // namespace

base::Result<StoreOutcome> read_store_answer(const base::Result<Message>& answer) {
  if (!answer) return std::unexpected(answer.error());
  const auto document = base::read_json(answer->data);
  if (!document)
    return base::fail(base::ErrorCode::kUnavailable, "JetStream gave an answer that is no JSON");
  const ServerError error = error_of(document->root());
  if (error.code == 0) return StoreOutcome::kStored;
  if (error.code == kWrongLastSequence) return StoreOutcome::kWrongSequence;
  if (error.code == kNoStorage) return StoreOutcome::kFull;
  if (error.code == kStoreFailed) {
    return error.text.find("per subject") != std::string::npos ? StoreOutcome::kTaken
                                                               : StoreOutcome::kFull;
  }
  return fail_by(error, "JetStream refused a message");
}

base::Status JetStream::make_stream(const std::string& name, const std::string& config) {
  MR_TRY(const Answer answer, ask_server(box_, "STREAM.CREATE." + name, config));
  if (answer.error.code == 0) return {};
  if (answer.error.code != kNoStorage)
    return fail_by(answer.error, base::format("Cannot make the stream {}", name));
  return base::fail(base::ErrorCode::kResourceExhausted,
                    base::format("no_space: Cannot make the stream {}: {}; delete others, or give "
                                 "JetStream more (max_file)",
                                 name,
                                 answer.error.text));
}

base::Result<std::optional<StreamState>> JetStream::find_stream(const std::string& name) {
  MR_TRY(const Answer answer, ask_server(box_, "STREAM.INFO." + name, ""));
  if (answer.error.code == kStreamNotFound) return std::nullopt;
  if (answer.error.code != 0) return fail_by(answer.error, "Cannot look at the stream " + name);
  const auto state = answer.document.root().find_member("state");
  if (!state) return base::fail(base::ErrorCode::kUnavailable, "JetStream shows no state");
  return StreamState{.message_count = count_of(*state, "messages"),
                     .byte_count = count_of(*state, "bytes"),
                     .last_sequence = count_of(*state, "last_seq")};
}

base::Result<std::vector<std::string>> JetStream::subjects(const std::string& name,
                                                           const std::string& filter) {
  std::vector<std::string> all;
  while (true) {
    MR_TRY(
        const Answer answer,
        ask_server(box_,
                   "STREAM.INFO." + name,
                   base::format(R"({{"subjects_filter":"{}","offset":{}}})", filter, all.size())));
    if (answer.error.code != 0) return fail_by(answer.error, "Cannot look at the stream " + name);
    const auto state = answer.document.root().find_member("state");
    const auto subjects = state ? state->find_member("subjects") : std::nullopt;
    const std::size_t before = all.size();
    if (subjects) {
      for (const base::JsonValue subject : subjects->children()) all.emplace_back(subject.key());
    }
    if (all.size() == before || all.size() >= count_of(answer.document.root(), "total")) return all;
  }
}

base::Result<std::vector<std::string>> JetStream::streams_of(const std::string& subject) {
  std::vector<std::string> all;
  while (true) {
    MR_TRY(const Answer answer,
           ask_server(box_,
                      "STREAM.NAMES",
                      base::format(R"({{"subject":"{}","offset":{}}})", subject, all.size())));
    if (answer.error.code != 0) return fail_by(answer.error, "Cannot list the streams");
    const auto names = answer.document.root().find_member("streams");
    const std::size_t before = all.size();
    if (names) {
      for (const base::JsonValue name : names->children())
        all.emplace_back(name.find_string().value_or(""));
    }
    if (all.size() == before || all.size() >= count_of(answer.document.root(), "total")) return all;
  }
}

base::Status JetStream::delete_stream(const std::string& name) {
  MR_TRY(const Answer answer, ask_server(box_, "STREAM.DELETE." + name, ""));
  if (answer.error.code == 0 || answer.error.code == kStreamNotFound) return {};
  return fail_by(answer.error, "Cannot delete the stream " + name);
}

base::Status JetStream::purge_stream(const std::string& name) { return purge(name, ""); }

base::Status JetStream::purge_stream(const std::string& name, std::uint64_t next_sequence) {
  return purge(name, base::format(R"({{"seq":{}}})", next_sequence));
}

base::Status JetStream::purge_subjects(const std::string& name, const std::string& filter) {
  return purge(name, base::format(R"({{"filter":"{}"}})", filter));
}

base::Status JetStream::purge(const std::string& name, std::string order) {
  MR_TRY(const Answer answer, ask_server(box_, "STREAM.PURGE." + name, std::move(order)));
  if (answer.error.code == 0) return {};
  return fail_by(answer.error, "Cannot empty the stream " + name);
}

base::Status JetStream::make_consumer(const std::string& stream,
                                      const std::string& name,
                                      const std::string& config) {
  MR_TRY(const Answer answer,
         ask_server(box_,
                    base::format("CONSUMER.DURABLE.CREATE.{}.{}", stream, name),
                    base::format(R"({{"stream_name":"{}","config":{}}})", stream, config)));
  if (answer.error.code == 0) return {};
  return fail_by(answer.error, base::format("Cannot make the consumer of {}", stream));
}

base::Status JetStream::delete_consumer(const std::string& stream, const std::string& name) {
  MR_TRY(const Answer answer,
         ask_server(box_, base::format("CONSUMER.DELETE.{}.{}", stream, name), ""));
  const std::int64_t code = answer.error.code;
  if (code == 0 || code == kConsumerNotFound || code == kStreamNotFound) return {};
  return fail_by(answer.error, base::format("Cannot delete the consumer of {}", stream));
}

base::Result<std::optional<ConsumerState>> JetStream::find_consumer(const std::string& stream,
                                                                    const std::string& name) {
  MR_TRY(const Answer answer,
         ask_server(box_, base::format("CONSUMER.INFO.{}.{}", stream, name), ""));
  if (answer.error.code == kConsumerNotFound || answer.error.code == kStreamNotFound)
    return std::nullopt;
  if (answer.error.code != 0) return fail_by(answer.error, "Cannot look at a consumer");
  const base::JsonValue root = answer.document.root();
  ConsumerState state{.waiting_count = count_of(root, "num_pending"),
                      .open_count = count_of(root, "num_ack_pending")};
  if (const auto delivered = root.find_member("delivered")) {
    state.delivery_count = count_of(*delivered, "consumer_seq");
    state.delivered_sequence = count_of(*delivered, "stream_seq");
  }
  return state;
}

base::Result<std::optional<Message>> read_found(base::Result<Message> answer) {
  if (!answer) return std::unexpected(answer.error());
  const auto status = answer->find_header("Status");
  if (!status) return std::optional<Message>(*std::move(answer));
  if (*status == "404") return std::nullopt;
  return base::fail(base::ErrorCode::kUnavailable,
                    base::format("JetStream gives no message: {} {}",
                                 *status,
                                 answer->find_header("Description").value_or("")));
}

base::Result<std::optional<Message>> JetStream::find_last(const std::string& stream,
                                                          const std::string& subject) {
  return read_found(box_.ask_and_wait(
      {.subject = base::format("$JS.API.DIRECT.GET.{}.{}", stream, subject)}, kLimit));
}

base::Result<StoreOutcome> JetStream::store(Message message) {
  return read_store_answer(box_.ask_and_wait(std::move(message), kLimit));
}

std::optional<std::uint64_t> delivery_number(std::string_view reply) {
  // $JS.ACK.STREAM.CONSUMER.DELIVERIES.…, and with a domain and an account before the stream since
  // 2.9.
  if (!reply.starts_with("$JS.ACK.")) return std::nullopt;
  std::vector<std::string_view> tokens;
  for (std::size_t begin = 0; begin <= reply.size();) {
    const std::size_t end = std::min(reply.find('.', begin), reply.size());
    tokens.push_back(reply.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::size_t place = tokens.size() >= 11 ? 6 : 4;
  if (tokens.size() < 9) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = tokens[place].data() + tokens[place].size();
  const auto read = std::from_chars(tokens[place].data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace millrace::nats
