// Implements gb_builder_api. Each function checks its C arguments, calls the ProgramBuilder, and keeps the
// first error, so that no exception passes through the plugin's frames.
#include "graphs/abi/builder_glue.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "graphs/abi/foreign_op.hpp"
#include "graphs/abi/guard.hpp"
#include "graphs/abi/text.hpp"
#include "graphs/base/error.hpp"

// The state of one build() call.
struct gb_builder {
  graphbench::ir::ProgramBuilder program;
  std::string refusal;  // the message of the first refused call; empty if no call was refused
  std::string failure;  // the text that the plugin passed to fail()
};

namespace graphbench::abi {
namespace {

constexpr std::int32_t kListMax = 64;  // the most inputs, attributes or split points of one call

[[noreturn]] void refuse_build(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why);
}

void check_list(const std::string& where, const char* field, std::int32_t count, const void* list) {
  if (count < 0 || count > kListMax) {
    refuse_build(where + ": " + std::to_string(count) + " " + field + " were given: give 0 to " +
                 std::to_string(kListMax));
  }
  if (count > 0 && list == nullptr) refuse_build(where + ": the list of " + field + " is null");
}

}  // namespace

std::string checked_line(const std::string& what, const char* text) {
  if (text == nullptr) refuse_build(what + " is null");
  if (*text == '\0' || !is_line(text)) {
    refuse_build(what + " '" + printable(text) +
                 "' must be one non-empty line of UTF-8 without control characters");
  }
  return text;
}

namespace {

ir::ValueKind value_kind(const std::string& where, int kind) {
  if (kind >= GB_INPUT && kind <= GB_STATE) return static_cast<ir::ValueKind>(kind);
  refuse_build(where + ": kind " + std::to_string(kind) + " is not a gb_value_kind");
}

ir::DType value_dtype(const std::string& where, int dtype) {
  if (dtype >= GB_FP32 && dtype <= GB_I32) return static_cast<ir::DType>(dtype);
  refuse_build(where + ": dtype " + std::to_string(dtype) + " is not a gb_dtype");
}

ir::Shape value_shape(const std::string& where, const gb_dim* dims, std::int32_t rank) {
  if (rank < 1 || rank > GB_MAX_RANK) {
    refuse_build(where + ": rank " + std::to_string(rank) + " is outside 1.." + std::to_string(GB_MAX_RANK));
  }
  if (dims == nullptr) refuse_build(where + ": dims is null");
  ir::Shape shape;
  for (std::int32_t i = 0; i < rank; ++i) {
    if (dims[i].per_batch < 0 || dims[i].fixed < 0 || (dims[i].per_batch == 0 && dims[i].fixed == 0)) {
      refuse_build(where + ": dimension " + std::to_string(i) + " is " + std::to_string(dims[i].per_batch) +
                   " * batch + " + std::to_string(dims[i].fixed) +
                   ": give a positive extent without negative terms");
    }
    shape.push_back({dims[i].per_batch, dims[i].fixed});
  }
  return shape;
}

ir::Init value_init(const std::string& where, const gb_init& init) {
  if (init.kind != GB_UNIFORM && init.kind != GB_CONSTANT) {
    refuse_build(where + ": init kind " + std::to_string(init.kind) + " is not a gb_init_kind");
  }
  if (init.reserved != 0) refuse_build(where + ": gb_init.reserved is not 0");
  const bool uniform = init.kind == GB_UNIFORM;
  if (!std::isfinite(init.low) || (uniform && (!std::isfinite(init.high) || init.low >= init.high))) {
    refuse_build(where + ": init is [" + std::to_string(init.low) + ", " + std::to_string(init.high) +
                 "): give a finite, non-empty range");
  }
  return {uniform ? ir::Init::Kind::uniform : ir::Init::Kind::constant, init.low, init.high};
}

ir::Attribute attribute_value(const std::string& where, const gb_attr& attr) {
  if (attr.reserved != 0) refuse_build(where + ": gb_attr.reserved is not 0");
  switch (attr.type) {
    case GB_ATTR_INT:
      return attr.integer;
    case GB_ATTR_REAL:
      if (!std::isfinite(attr.real)) refuse_build(where + " is not finite");
      return attr.real;
    case GB_ATTR_TEXT:
      return checked_line(where, attr.text);
    default:
      refuse_build(where + " has type " + std::to_string(attr.type) + ", which is not a gb_attr_type");
  }
}

}  // namespace

ir::Attributes attributes_of(const std::string& where, const gb_attr* attrs, std::int32_t count) {
  check_list(where, "attributes", count, attrs);
  ir::Attributes attributes;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::string name = checked_line(where + ": the name of an attribute", attrs[i].name);
    const std::string label = where + ": attribute '" + name + "'";
    if (!attributes.emplace(name, attribute_value(label, attrs[i])).second)
      refuse_build(label + " is given twice");
  }
  return attributes;
}

std::vector<ir::ValueId> input_ids(const std::string& where, const std::int32_t* inputs, std::int32_t count) {
  check_list(where, "inputs", count, inputs);
  std::vector<ir::ValueId> ids;
  for (std::int32_t i = 0; i < count; ++i) {
    if (inputs[i] < 0) {
      refuse_build(where + ": input " + std::to_string(i) + " is " + std::to_string(inputs[i]) +
                   ", which is not a value's id");
    }
    ids.push_back(static_cast<ir::ValueId>(inputs[i]));
  }
  return ids;
}

std::int32_t hand_over(const std::string& where, const std::vector<ir::ValueId>& ids, std::int32_t* outputs,
                       std::int32_t capacity) {
  const auto count = static_cast<std::int32_t>(ids.size());
  if (count > capacity || (count > 0 && outputs == nullptr)) {
    refuse_build(where + ": the op has " + std::to_string(count) + " outputs, but output_capacity is " +
                 std::to_string(outputs == nullptr ? 0 : capacity));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) outputs[i] = static_cast<std::int32_t>(ids[i]);
  return count;
}

namespace {

std::int32_t add_value(gb_builder* builder, gb_value_kind kind, const char* name, gb_dtype dtype,
                       const gb_dim* dims, std::int32_t rank, gb_init init) {
  return kept(builder, [&] {
    const std::string checked = checked_line("the name of a value", name);
    const std::string where = "value '" + checked + "'";
    return static_cast<std::int32_t>(
        builder->program.value(value_kind(where, kind), checked, value_dtype(where, dtype),
                               value_shape(where, dims, rank), value_init(where, init)));
  });
}

std::int32_t builder_add_op(gb_builder* builder, const char* kind, const char* name,
                            const std::int32_t* inputs, std::int32_t input_count, const gb_attr* attrs,
                            std::int32_t attr_count, std::int32_t* outputs, std::int32_t output_capacity) {
  return kept(builder, [&] {
    const std::string checked = checked_line("the name of an op", name);
    const std::string where = "op '" + checked + "'";
    const std::vector<ir::ValueId> ids =
        builder->program.op(checked_line(where + ": kind", kind), checked,
                            input_ids(where, inputs, input_count), attributes_of(where, attrs, attr_count));
    return hand_over(where, ids, outputs, output_capacity);
  });
}

std::int32_t mark_output(gb_builder* builder, std::int32_t value) {
  return kept(builder, [&] {
    if (value < 0) refuse_build("mark_output: " + std::to_string(value) + " is not a value's id");
    builder->program.mark_output(static_cast<ir::ValueId>(value));
    return 0;
  });
}

std::int32_t split_at(gb_builder* builder, const char* const* splits, std::int32_t split_count) {
  return kept(builder, [&] {
    check_list("split_at", "splits", split_count, splits);
    std::vector<std::string> checked;
    for (std::int32_t i = 0; i < split_count; ++i)
      checked.push_back(checked_line("split_at: split", splits[i]));
    builder->program.split_at(std::move(checked));
    return 0;
  });
}

std::int32_t pad_with(gb_builder* builder, std::int32_t value, double pad) {
  return kept(builder, [&] {
    if (value < 0) refuse_build("pad_with: " + std::to_string(value) + " is not a value's id");
    if (!std::isfinite(pad)) refuse_build("pad_with: the pad value is not finite");
    builder->program.pad_with(static_cast<ir::ValueId>(value), pad);
    return 0;
  });
}

std::int32_t add_hook(gb_builder* builder, std::int32_t weight, std::int32_t place, const char* kind,
                      const char* name, const gb_attr* attrs, std::int32_t attr_count) {
  return kept(builder, [&] {
    const std::string checked = checked_line("the name of a hook", name);
    const std::string where = "hook '" + checked + "'";
    if (weight < 0) refuse_build(where + ": " + std::to_string(weight) + " is not a value's id");
    if (place != GB_HOOK_PRE && place != GB_HOOK_POST_ACCUMULATE)
      refuse_build(where + ": place " + std::to_string(place) + " is not a gb_hook_place");
    builder->program.hook({static_cast<ir::ValueId>(weight), static_cast<ir::HookPlace>(place),
                           checked_line(where + ": kind", kind), checked,
                           attributes_of(where, attrs, attr_count)});
    return 0;
  });
}

constexpr gb_builder_api kBuilderApi = {
    sizeof(gb_builder_api),     0,        add_value, builder_add_op, mark_output, split_at,
    record_failure<gb_builder>, pad_with, add_hook};

}  // namespace

ir::Program build_program(const gb_workload& workload, const gb_build_request& request,
                          const ir::OpCatalog& catalog, const std::string& program_name,
                          const std::string& where) {
  gb_builder builder{ir::ProgramBuilder(program_name, catalog), {}, {}};
  return finished(builder, where, "build",
                  [&] { return workload.build(&request, &builder, &kBuilderApi, workload.user); });
}

}  // namespace graphbench::abi
