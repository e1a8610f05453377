#include "stores/redis/cluster/cluster_map_reader.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "net/address.h"
#include "stores/redis/cluster/slot_map.h"
#include "stores/redis/protocol/redis_error.h"
#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_pool.h"

namespace millrace::stores {

void ClusterMapReader::start(std::vector<net::Address> nodes) {
  MR_CHECK(!is_reading_);
  is_reading_ = true;
  candidates_ = std::move(nodes);
  next_ = 0;
  error_.emplace(base::ErrorCode::kUnavailable, "No node of the cluster is known");
  ask_next();
}

void ClusterMapReader::ask_next() {
  while (next_ < candidates_.size()) {
    RedisPool& pool = nodes_.at(candidates_[next_++]);
    call_.tree = RespTreeSink();
    const base::Status sent = pool.submit(call_);
    if (sent) {
      asked_ = &pool;
      return timer_.start(patience_);
    }
    error_ = sent.error();
  }
  // Tell the owner in a later turn of the loop, never inside `start`.
  timer_.start(base::Duration(0));
}

void ClusterMapReader::stop_asking() {
  if (RedisPool* const pool = std::exchange(asked_, nullptr)) pool->withdraw(call_);
}

void ClusterMapReader::on_timer() {
  if (asked_ != nullptr) {
    error_.emplace(base::ErrorCode::kUnavailable,
                   "A node of the cluster did not give its slots in time: " +
                       to_string(asked_->settings().address));
    stop_asking();
    return ask_next();
  }
  is_reading_ = false;
  owner_.on_no_map(*error_);
}

base::Result<SlotMap> ClusterMapReader::read_reply(const base::Status& status) {
  if (!status) return std::unexpected(status.error());
  const RespValue reply = std::exchange(call_.tree.values, {}).at(0);
  const net::Address& node = candidates_[next_ - 1];
  if (reply.is_error()) return std::unexpected(error_of_reply(reply.text, to_string(node)));
  return SlotMap::read(reply, node.host);
}

void ClusterMapReader::on_done(const base::Status& status) {
  timer_.stop();
  asked_ = nullptr;
  base::Result<SlotMap> map = read_reply(status);
  if (!map) {
    error_ = map.error();
    return ask_next();
  }
  is_reading_ = false;
  owner_.on_map(*std::move(map));
}

}  // namespace millrace::stores
