// Feeds arbitrary bytes to the reader of Redis replies: it must neither crash nor depend on how the
// bytes were cut, and a batch must accept everything that the reader gives.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "rows/row_scratch.h"
#include "stores/key_list.h"
#include "stores/redis/protocol/batch_reply.h"
#include "stores/redis/protocol/reply_sink.h"
#include "stores/redis/protocol/resp_reader.h"
#include "stores/redis/protocol/resp_value.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

constexpr std::size_t kKeys = 4;

std::string read_in_pieces(std::string_view bytes, std::size_t piece) {
  stores::RespReader reader;
  stores::RespTreeSink replies;
  stores::RespTreeSink pushes;
  std::string unread;
  bool is_broken = false;
  for (std::size_t shown = 0; shown < bytes.size() && !is_broken; shown += piece) {
    unread += bytes.substr(shown, piece);
    for (;;) {
      const stores::RespReader::Step step = reader.read(unread, replies, pushes);
      unread.erase(0, step.consumed);
      is_broken = step.status == stores::ReadStatus::kBroken;
      if (is_broken || step.status == stores::ReadStatus::kWanting) break;
    }
  }
  std::string out = is_broken ? "broken" : "";
  for (const stores::RespValue& value : replies.values) out += value.to_string() + "\n";
  for (const stores::RespValue& value : pushes.values) out += value.to_string() + "\n";
  return out;
}

/// Takes replies as a connection gives them to a batch.
class BatchSink final : public stores::ReplySink {
 public:
  explicit BatchSink(stores::BatchReply& batch) : batch_(batch) {}
  void on_text(std::string_view text) override { batch_.on_text(text); }
  void on_token(const stores::RespToken& token) override { batch_.on_token(token); }
  void on_reply_end() override { batch_.on_reply_end(); }

 private:
  stores::BatchReply& batch_;
};

void read_batch(std::string_view bytes, const stores::BatchShape& shape) {
  rows::RowScratch scratch;
  stores::KeyListBuilder builder(scratch, "key:", "", kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) builder.add(static_cast<std::int64_t>(i));
  const stores::KeyList keys = builder.finish();
  stores::BatchReply batch(shape, {.keys = &keys}, scratch);
  BatchSink sink(batch);
  stores::RespTreeSink pushes;
  stores::RespReader reader;
  const std::size_t replies = shape.command == stores::StoreCommand::kMultiGet ? 1 : kKeys;
  for (std::size_t seen = 0; seen < replies;) {
    const stores::RespReader::Step step = reader.read(bytes, sink, pushes);
    bytes.remove_prefix(step.consumed);
    if (step.status == stores::ReadStatus::kReply) ++seen;
    if (step.status == stores::ReadStatus::kBroken || step.status == stores::ReadStatus::kWanting) {
      return;
    }
  }
  const bool good = batch.take_errors().empty();
  const stores::StoreReply reply = batch.finish();
  if (shape.with_scores) MR_CHECK(reply.scores.size() == reply.integers.size());
  MR_CHECK(reply.ends.size() == kKeys);
  const bool is_ids = shape.form == stores::ValueForm::kInt64;
  if (good)
    MR_CHECK(reply.ends[kKeys - 1] == (is_ids ? reply.integers.size() : reply.texts.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read_in_pieces(bytes, bytes.size() + 1);
  MR_CHECK(read_in_pieces(bytes, 1 + data[0] % 16) == whole);
  for (const stores::StoreCommand command : {stores::StoreCommand::kHashGetAll,
                                             stores::StoreCommand::kHashGet,
                                             stores::StoreCommand::kListRange,
                                             stores::StoreCommand::kGet,
                                             stores::StoreCommand::kMultiGet}) {
    read_batch(bytes, {.command = command, .count = 3, .field_count = 2});
  }
  for (const stores::StoreCommand command : {stores::StoreCommand::kListRange,
                                             stores::StoreCommand::kSortedSetRange,
                                             stores::StoreCommand::kSetMembers}) {
    read_batch(bytes, {.command = command, .form = stores::ValueForm::kInt64, .count = 3});
  }
  read_batch(bytes,
             {.command = stores::StoreCommand::kSortedSetRange,
              .form = stores::ValueForm::kInt64,
              .count = 3,
              .with_scores = true});
  return 0;
}
