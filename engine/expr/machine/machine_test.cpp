#include "expr/machine/machine.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::expr {
namespace {

TEST(RegistersTest, KeepEntriesValidityAndErrorsApart) {
  Registers registers(kChunkRows, 8, Registers::Sharing::kByRegister);
  std::vector<std::byte> memory(registers.bytes_for(3));
  registers.set_memory(memory.data());
  Instruction first;
  first.register_index = 0;
  Instruction second;
  second.register_index = 1;
  const auto address = [](const void* pointer) { return static_cast<const std::byte*>(pointer); };
  EXPECT_EQ(address(registers.valid(first)) - address(registers.data(first)), 8 * kChunkRows);
  EXPECT_EQ(registers.error(first) - registers.valid(first), kChunkRows);
  EXPECT_GE(address(registers.data(second)) - address(registers.error(first)), kChunkRows);
  EXPECT_LE(address(registers.error(second)) + kChunkRows, memory.data() + memory.size());
}

TEST(RegistersTest, CanGiveEachValueItsOwnPlace) {
  Registers registers(1, 16, Registers::Sharing::kByValue);
  std::vector<std::byte> memory(registers.bytes_for(2));
  registers.set_memory(memory.data());
  Instruction first;
  first.out = 0;
  Instruction second;
  second.out = 1;
  EXPECT_GE(registers.data(second) - registers.data(first), 18);
}

}  // namespace
}  // namespace millrace::expr
