#include "net/http/http_wait_list.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace millrace::net {
namespace {

struct NullWaiter : HttpWaiter {
  void on_wait_over(HttpWait) override {}
};

TEST(HttpWaitListTest, KeepsTheOrderOfArrival) {
  NullWaiter waiter;
  HttpWaitList list;
  HttpWaitLink first(waiter);
  HttpWaitLink second(waiter);
  {
    HttpWaitLink third(waiter);
    list.push_back(first, {});
    list.push_back(second, {});
    list.push_back(third, {});
    EXPECT_EQ(list.front(), &first);
    list.remove(first);
    EXPECT_EQ(list.front(), &second);
    list.remove(second);
    EXPECT_EQ(list.front(), &third);
    EXPECT_EQ(third.list(), &list);
  }
  EXPECT_EQ(list.size(), 0U) << "a link that is destroyed leaves its list";
  EXPECT_EQ(list.front(), nullptr);
}

}  // namespace
}  // namespace millrace::net
