// Runs a plugin's pass: converts the program to the ABI's structs, and implements gb_rewriter_api.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/abi/builder_glue.hpp"
#include "graphs/abi/foreign_op.hpp"
#include "graphs/abi/guard.hpp"
#include "graphs/ir/rewrite.hpp"

// The state of one rewrite() call.
struct gb_rewriter {
  graphbench::ir::Rewriter program;
  int lines = 0;
  std::string refusal = {};
  std::string failure = {};
};

namespace graphbench::abi {
namespace {

constexpr int kLinesMax = 64;

static_assert(GB_ACTIVATION == int(ir::ValueKind::activation) && GB_OUTPUT == int(ir::ValueKind::output) &&
              GB_PARAMETER == int(ir::ValueKind::parameter) && GB_GRADIENT == int(ir::ValueKind::gradient));

// A program in the structs of the ABI. These point into `program`, which must outlive this object.
class View {
 public:
  explicit View(const ir::Program& program) {
    dims_.reserve(program.values().size());
    for (const ir::Value& value : program.values()) {
      std::vector<gb_dim>& dims = dims_.emplace_back();
      for (const ir::Dim& dim : value.shape) dims.push_back({dim.per_batch, dim.fixed});
      values_.push_back({value.name.c_str(), static_cast<std::int32_t>(value.kind),
                         static_cast<std::int32_t>(value.dtype), dims.data(),
                         static_cast<std::int32_t>(dims.size()), 0});
    }
    attributes_.reserve(program.ops().size());
    ids_.reserve(2 * program.ops().size());
    for (const ir::Op& op : program.ops()) {
      const std::vector<gb_attr>& attributes = attributes_.emplace_back(attribute_records(op.attributes));
      ops_.push_back({op.kind.c_str(), op.name.c_str(), ir::name_of(op.phase).data(), ids_of(op.inputs),
                      ids_of(op.outputs), attributes.data(), static_cast<std::int32_t>(op.inputs.size()),
                      static_cast<std::int32_t>(op.outputs.size()),
                      static_cast<std::int32_t>(attributes.size()), 0});
    }
    program_ = {sizeof(gb_program), static_cast<std::int32_t>(values_.size()), values_.data(),
                ops_.data(),        static_cast<std::int32_t>(ops_.size()),    0};
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  const gb_program* program() const { return &program_; }

 private:
  const std::int32_t* ids_of(const std::vector<ir::ValueId>& ids) {
    return ids_.emplace_back(ids.begin(), ids.end()).data();
  }

  std::vector<std::vector<gb_dim>> dims_;
  std::vector<std::vector<gb_attr>> attributes_;
  std::vector<std::vector<std::int32_t>> ids_;
  std::vector<gb_program_value> values_;
  std::vector<gb_program_op> ops_;
  gb_program program_{};
};

std::uint32_t checked_id(const char* what, std::int32_t id) {
  if (id >= 0) return static_cast<std::uint32_t>(id);
  throw Error(ErrorCode::invalid_argument, std::string(what) + " " + std::to_string(id) + " does not exist");
}

std::int32_t keep(gb_rewriter* rewriter, std::int32_t op) {
  return kept(rewriter, [&] {
    rewriter->program.keep(checked_id("op", op));
    return 0;
  });
}

std::int32_t rewriter_add_op(gb_rewriter* rewriter, std::int32_t beside, const char* kind, const char* name,
                             const std::int32_t* inputs, std::int32_t input_count, const gb_attr* attrs,
                             std::int32_t attr_count, std::int32_t* outputs, std::int32_t output_capacity) {
  return kept(rewriter, [&] {
    const std::string checked = checked_line("the name of an op", name);
    const std::string where = "op '" + checked + "'";
    return hand_over(
        where,
        rewriter->program.op(checked_id("op", beside), checked_line(where + ": kind", kind), checked,
                             input_ids(where, inputs, input_count), attributes_of(where, attrs, attr_count)),
        outputs, output_capacity);
  });
}

std::int32_t replace(gb_rewriter* rewriter, std::int32_t value, std::int32_t by) {
  return kept(rewriter, [&] {
    rewriter->program.replace(checked_id("value", value), checked_id("value", by));
    return 0;
  });
}

std::int32_t add_line(gb_rewriter* rewriter, const char* line) {
  return kept(rewriter, [&] {
    const std::string checked = checked_line("a line of the log", line);
    if (rewriter->lines++ == kLinesMax)
      throw Error(ErrorCode::invalid_argument,
                  "the pass's log has more than " + std::to_string(kLinesMax) + " lines");
    rewriter->program.log(checked);
    return 0;
  });
}

constexpr gb_rewriter_api kRewriterApi = {
    sizeof(gb_rewriter_api), 0, keep, rewriter_add_op, replace, add_line, record_failure<gb_rewriter>};

}  // namespace

ir::Program run_program_pass(const gb_program_pass& pass, const ir::Program& program,
                             const ir::OpCatalog& catalog, const std::string& where) {
  const View view(program);
  gb_rewriter rewriter{ir::Rewriter(program, catalog, pass.name)};
  return finished(rewriter, where, "rewrite",
                  [&] { return pass.rewrite(view.program(), &rewriter, &kRewriterApi, pass.user); });
}

}  // namespace graphbench::abi
