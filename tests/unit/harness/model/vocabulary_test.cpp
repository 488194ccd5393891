// Tests the tables of words against each other and against the graphs' own types.
#include "harness/model/vocabulary.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "graphs/execution/executor.hpp"
#include "graphs/ir/types.hpp"

namespace graphbench::model {
namespace {

TEST(Vocabulary, OneModeIsTheReferenceAndNoGraph) {
  EXPECT_EQ(std::ranges::count_if(modes(), &Mode::reference), 1);
  EXPECT_FALSE(reference_mode().graph);
  EXPECT_FALSE(is_graph_mode(reference_mode().name));
  EXPECT_TRUE(is_graph_mode("whole"));
  EXPECT_FALSE(is_graph_mode("no such mode"));
}

TEST(Vocabulary, EveryModeHasAnExecutor) {
  std::size_t known = 0;
  for (const Mode& mode : modes()) {
    const auto found = execution::find_mode(mode.name);
    ASSERT_TRUE(found.has_value()) << mode.name;
    EXPECT_EQ(execution::name_of(*found), mode.name);
    known = std::max(known, static_cast<std::size_t>(*found) + 1);
  }
  EXPECT_EQ(known, modes().size());
}

TEST(Vocabulary, DataTypesAreThoseOfPrograms) {
  for (const DataType& type : data_types()) {
    const std::optional<ir::DType> known = ir::parse_dtype(type.name);
    ASSERT_TRUE(known.has_value()) << type.name;
    EXPECT_EQ(static_cast<std::int64_t>(ir::size_of(*known)), type.bytes) << type.name;
  }
}

TEST(Vocabulary, EveryKindOfDeviceHasADataTypeOfTheTable) {
  const std::vector<std::string> known = names_of(data_types());
  for (const DeviceKind& kind : device_kinds())
    EXPECT_TRUE(std::ranges::count(known, kind.data_type) == 1) << kind.name;
}

}  // namespace
}  // namespace graphbench::model
