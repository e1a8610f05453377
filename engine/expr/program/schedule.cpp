#include "expr/program/schedule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "expr/kernels/kernel.h"
#include "expr/program/instruction_builder.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

std::span<const ValueId> operands(const Instruction& instruction) {
  return std::span(instruction.in).first(instruction.operand_count);
}

// Counts how often each value is read, from the root down.
std::vector<std::uint32_t> count_uses(std::span<const Instruction> instructions, ValueId root) {
  std::vector<std::uint32_t> uses(instructions.size());
  uses[root] = 1;
  for (std::size_t i = instructions.size(); i-- > 0;) {
    if (uses[i] == 0) continue;
    for (const ValueId operand : operands(instructions[i])) ++uses[operand];
  }
  return uses;
}

bool is_sole_product(const Instruction& instruction, std::uint32_t use_count) {
  return instruction.opcode == Opcode::kMultiply && instruction.stage == Stage::kBody &&
         instruction.type == ColumnType::kFloat64 && use_count == 1;
}

// Fuses a + b * c into one instruction where nothing else reads the product. The fused instruction
// still rounds twice.
void fuse_products(std::span<Instruction> instructions, ValueId root) {
  const std::vector<std::uint32_t> uses = count_uses(instructions, root);
  for (Instruction& sum : instructions) {
    const bool is_sum = sum.opcode == Opcode::kAdd || sum.opcode == Opcode::kSubtract;
    if (!is_sum || sum.type != ColumnType::kFloat64 || sum.stage != Stage::kBody) continue;
    std::size_t at = 1;
    if (!is_sole_product(instructions[sum.in[1]], uses[sum.in[1]])) {
      if (sum.opcode == Opcode::kSubtract) continue;
      if (!is_sole_product(instructions[sum.in[0]], uses[sum.in[0]])) continue;
      at = 0;
    }
    const Instruction& product = instructions[sum.in[at]];
    // The kernels allow only the last factor to be uniform.
    const bool swap = !instructions[product.in[0]].is_vector;
    sum.opcode = sum.opcode == Opcode::kAdd ? Opcode::kMultiplyAdd : Opcode::kMultiplySubtract;
    sum.operand_count = 3;
    sum.product_first = at == 0;
    sum.in = {sum.in[1 - at], product.in[swap ? 1 : 0], product.in[swap ? 0 : 1]};
  }
}

// Gives the opcode that continues a weighted sum with one more product, kConstant if there is none.
Opcode weighted_opcode(Opcode before, Opcode sum) {
  const bool adds = sum == Opcode::kMultiplyAdd;
  switch (before) {
    case Opcode::kMultiply:
      return adds ? Opcode::kWeightedAdd : Opcode::kWeightedSubtract;
    case Opcode::kWeightedAdd:
      return adds ? Opcode::kWeightedAddAdd : Opcode::kWeightedAddSubtract;
    case Opcode::kWeightedSubtract:
      return adds ? Opcode::kWeightedSubtractAdd : Opcode::kWeightedSubtractSubtract;
    default:
      return Opcode::kConstant;
  }
}

// Fuses a * b + c * d and a * b + c * d + e * f into one instruction where b, d and f are one value
// for all rows, like the weights of a score. Rounds as the separate instructions do, from the left.
void fuse_weighted_sums(std::span<Instruction> instructions, ValueId root) {
  const std::vector<std::uint32_t> uses = count_uses(instructions, root);
  const auto is_vector = [&](ValueId value) { return instructions[value].is_vector; };
  for (Instruction& sum : instructions) {
    const bool is_sum =
        sum.opcode == Opcode::kMultiplyAdd || sum.opcode == Opcode::kMultiplySubtract;
    if (!is_sum || sum.product_first || !is_vector(sum.in[1]) || is_vector(sum.in[2])) continue;
    const Instruction& before = instructions[sum.in[0]];
    const Opcode opcode = weighted_opcode(before.opcode, sum.opcode);
    const bool is_sole_float =
        before.stage == Stage::kBody && uses[sum.in[0]] == 1 && before.type == ColumnType::kFloat64;
    if (opcode == Opcode::kConstant || !is_sole_float) continue;
    std::array<ValueId, kOperandCountMax> in = before.in;
    if (before.opcode == Opcode::kMultiply) {
      if (is_vector(in[0]) == is_vector(in[1])) continue;
      if (!is_vector(in[0])) std::swap(in[0], in[1]);
    }
    in[before.operand_count] = sum.in[1];
    in[before.operand_count + 1] = sum.in[2];
    sum.opcode = opcode;
    sum.operand_count = static_cast<std::uint8_t>(before.operand_count + 2);
    sum.in = in;
  }
}

// Lists the values that `root` needs, operands first and from the left, so that few values are
// alive at a time.
std::vector<ValueId> order_of(std::span<const Instruction> instructions, ValueId root) {
  enum : std::uint8_t { kUnseen, kOpen, kDone };
  std::vector<std::uint8_t> states(instructions.size(), kUnseen);
  std::vector<ValueId> order;
  std::vector<ValueId> stack{root};
  while (!stack.empty()) {
    const ValueId value = stack.back();
    if (states[value] != kUnseen) {
      stack.pop_back();
      if (states[value] == kOpen) order.push_back(value);
      states[value] = kDone;
      continue;
    }
    states[value] = kOpen;
    const std::span<const ValueId> in = operands(instructions[value]);
    for (std::size_t i = in.size(); i-- > 0;) {
      if (states[in[i]] == kUnseen) stack.push_back(in[i]);
    }
  }
  return order;
}

bool is_string_operation(const Instruction& instruction) {
  if (instruction.type != ColumnType::kString || instruction.stage != Stage::kBody) return false;
  switch (instruction.opcode) {
    case Opcode::kLoad:
    case Opcode::kIsNull:
    case Opcode::kIf:
    case Opcode::kCoalesce:
      return false;
    default:
      return true;
  }
}

std::size_t width_bytes(const Instruction& instruction) {
  switch (instruction.type) {
    case ColumnType::kBool:
      return 1;
    case ColumnType::kInt64:
    case ColumnType::kFloat64:
      return 8;
    case ColumnType::kString:
      return instruction.stage == Stage::kBind ? 16 : 4;
  }
  return 8;
}

void pick_kernel(Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kConstant:
    case Opcode::kParam:
    case Opcode::kRequest:
    case Opcode::kViewer:
    case Opcode::kNow:
    case Opcode::kLoad:
    case Opcode::kInSet:
    case Opcode::kIsNull:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kSplat:
    case Opcode::kIntern:
      return;
    case Opcode::kIf:
      instruction.kernel = choose_kernel(width_bytes(instruction), instruction.uniform & 6U);
      return;
    case Opcode::kCoalesce:
      // kCoalesce chooses by the validity of its first operand, which becomes operand 0 of the
      // kernel; so each operand moves one place further.
      instruction.kernel =
          choose_kernel(width_bytes(instruction), (instruction.uniform << 1U) & 4U);
      return;
    default:
      if (instruction.type == ColumnType::kString) return;
      instruction.kernel = kernel_for(instruction.opcode, instruction.type, instruction.uniform);
  }
}

// The result of kIf and kCoalesce may be an operand itself, so that operand must live as long as
// the result.
bool may_alias(Opcode opcode) { return opcode == Opcode::kIf || opcode == Opcode::kCoalesce; }

// Gives body values registers. The register of a result is taken before those of the operands are
// freed, because a kernel must not write to memory that it reads.
std::uint32_t assign_registers(std::span<Instruction> body, std::size_t first_value) {
  std::vector<std::size_t> last_use(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) last_use[i] = i;
  const auto note_uses = [&](std::size_t i, std::size_t until) {
    for (const ValueId operand : operands(body[i])) {
      if (operand < first_value) continue;
      last_use[operand - first_value] = std::max(last_use[operand - first_value], until);
    }
  };
  for (std::size_t i = 0; i < body.size(); ++i) note_uses(i, i);
  for (std::size_t i = body.size(); i-- > 0;) {
    if (may_alias(body[i].opcode)) note_uses(i, last_use[i]);
  }
  std::vector<std::vector<std::size_t>> ends(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) ends[last_use[i]].push_back(i);
  std::vector<std::uint32_t> free;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (free.empty()) free.push_back(count++);
    body[i].register_index = free.back();
    free.pop_back();
    for (const std::size_t ended : ends[i]) free.push_back(body[ended].register_index);
  }
  return count;
}

}  // namespace

void schedule(std::span<const Instruction> instructions, ValueId root, Program& program) {
  std::vector<Instruction> all(instructions.begin(), instructions.end());
  fuse_products(all, root);
  fuse_weighted_sums(all, root);
  const std::vector<ValueId> order = order_of(all, root);

  std::vector<ValueId> new_ids(all.size(), kNoValue);
  ValueId next = 0;
  for (const Stage stage : {Stage::kBind, Stage::kPrologue, Stage::kBody}) {
    for (const ValueId value : order) {
      if (all[value].stage == stage) new_ids[value] = next++;
    }
  }
  for (const ValueId value : order) {
    Instruction instruction = all[value];
    instruction.out = new_ids[value];
    for (std::size_t i = 0; i < instruction.operand_count; ++i) {
      const ValueId operand = instruction.in[i];
      if (instruction.stage == Stage::kBody && !all[operand].is_vector) {
        instruction.uniform |= static_cast<UniformMask>(1U << i);
      }
      instruction.in[i] = new_ids[operand];
    }
    if (is_string_operation(instruction)) instruction.table_index = program.table_count++;
    pick_kernel(instruction);
    std::vector<Instruction>& stage = instruction.stage == Stage::kBind       ? program.bind
                                      : instruction.stage == Stage::kPrologue ? program.prologue
                                                                              : program.body;
    stage.push_back(instruction);
  }
  program.root = new_ids[root];
  program.register_count =
      assign_registers(program.body, program.bind.size() + program.prologue.size());
  // Values of the prologue live as long as the evaluation, so their registers are never reused.
  for (Instruction& instruction : program.prologue) {
    instruction.register_index = program.register_count++;
  }
}

}  // namespace millrace::expr
