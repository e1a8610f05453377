// snippet-begin: boost_task
#include <millrace/rows/column.h>
#include <millrace/tasks/plugin.h>
#include <millrace/tasks/task_registry.h>

namespace {

using namespace millrace;

struct BoostParams {
  tasks::OutKeyParam<tasks::Float> out_key;
  double factor = 2.0;

  static void describe(tasks::ParamsDescription<BoostParams>& params) {
    params.required("out_key", &BoostParams::out_key, "Key that gets the product");
    params.optional("factor", &BoostParams::factor, "What ids are multiplied by", {.minimum = 0});
  }
};

base::Result<rows::RowSet> boost(const rows::RowSet& rows,
                                 const BoostParams& params,
                                 tasks::TaskContext& context) {
  const std::span<const std::int64_t> ids = rows.batch()->ids();
  rows::Array<double> product = context.scratch().make_array<double>(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    product[i] = params.factor * static_cast<double>(ids[i]);
  MR_TRY(rows::BatchRef batch,
         rows.batch()->with_column(params.out_key.name,
                                   rows::Column::make_float64(std::move(product))));
  return rows.with_batch(std::move(batch));
}

base::Status register_boost(tasks::TaskRegistry& registry) {
  return tasks::register_task(
      registry,
      {.op = "boost", .doc = "Writes id times `factor`.", .rows = plan::OutputRows::kSame},
      boost);
}

}  // namespace

MR_TASK_PLUGIN("boost", register_boost)
// snippet-end: boost_task
