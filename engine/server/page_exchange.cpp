#include "server/page_exchange.h"

#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::server {

PageExchange::WorkJob::WorkJob(PageExchange& page)
    : Job([](Job& job) {
        PageExchange& self = static_cast<WorkJob&>(job).owner;
        // A page may be larger than the memory that is left.
        try {
          self.body_ = self.make_();
        } catch (const std::bad_alloc&) {
          self.has_no_memory_ = true;
        }
        self.front_.services().loop->post(self.home_job_);
      }),
      owner(page) {}

PageExchange::HomeJob::HomeJob(PageExchange& page)
    : Job([](Job& job) { static_cast<HomeJob&>(job).owner.deliver(); }), owner(page) {}

PageExchange::PageExchange(FrontContext& front,
                           const Route& route,
                           std::function<std::string()> make)
    : front_(front), route_(route), make_(std::move(make)), work_job_(*this), home_job_(*this) {}

void PageExchange::start(net::HttpExchange& exchange) {
  exchange_ = &exchange;
  asked_ = front_.asked_of(exchange, net::kHttpClientGone);
  exchange.receive(*this, {.bytes_max = 0});
}

void PageExchange::on_body_end(std::string_view /*body*/) {
  is_made_ = true;
  front_.services().workers->post(work_job_);
}

void PageExchange::on_gone(int status) {
  exchange_ = nullptr;
  front_.record_gone(route_.path, asked_, status);
  if (!is_made_) front_.give_back(*this);
}

void PageExchange::deliver() {
  if (exchange_ != nullptr && has_no_memory_) {
    front_.reply_problem(
        *exchange_,
        route_.path,
        {.code = "limit_reached", .detail = "There is not enough memory for the page"});
  } else if (exchange_ != nullptr) {
    front_.reply_page(*exchange_, route_, 200, body_);
  }
  exchange_ = nullptr;
  front_.give_back(*this);
}

}  // namespace millrace::server
