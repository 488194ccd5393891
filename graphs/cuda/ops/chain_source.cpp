// The shape of the kernel, then op by op.
#include "graphs/cuda/ops/chain_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace graphbench::cuda {
namespace {

constexpr std::int64_t items_max = 32;  // values of a thread in registers, for each value of the chain
constexpr std::size_t shared_bytes_max = 47 << 10;

std::string text_of(std::int64_t number) {
  return std::to_string(number);
}
// Every bit of it.
std::string text_of(double number, const char* suffix) {
  char text[48];
  std::snprintf(text, sizeof(text), "%a%s", number, suffix);
  return text;
}

const char* element_of(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp32:
      return "float";
    case ir::DType::fp16:
      return "Half";
    case ir::DType::bf16:
      return "BFloat16";
    case ir::DType::i32:
      break;
  }
  return nullptr;
}

class Generator {
 public:
  explicit Generator(const ChainCall& call) : call_(call), known_(call.values.size()) {
    const ir::TensorDesc& rows = call.ops.front().input(0);
    columns_ = rows.dims.back();
    elements_ = rows.elements();
    element_ = element_of(rows.dtype);
    element_bytes_ = ir::size_of(rows.dtype);
    for (const ir::OpCall& op : call.ops) by_row_ |= op.op->kind == "rmsnorm" || op.op->kind == "rope";
    const std::int64_t lanes = 16 / static_cast<std::int64_t>(element_bytes_);
    vector_ = columns_ % lanes == 0 && (!by_row_ || columns_ / lanes <= 1024);
    const std::int64_t work = vector_ ? columns_ / lanes : columns_;
    threads_ = by_row_ ? std::min<std::int64_t>((work + 31) / 32 * 32, vector_ ? 1024 : 512) : 256;
    items_ = vector_ ? lanes : by_row_ ? (columns_ + threads_ - 1) / threads_ : 1;
  }

  ChainSource source() {
    ChainSource source;
    if (element_ == nullptr) source.why_not = "elements are integers";
    if (items_ > items_max) source.why_not = "a row of " + text_of(columns_) + " elements is too long";
    begin();
    for (std::size_t i = 0; i < call_.ops.size() && source.why_not.empty(); ++i)
      source.why_not = add(call_.ops[i], call_.places[i]);
    if (!source.why_not.empty()) return source;
    source.text = std::string(chain_support()) + text_ + "}\n\n}  // namespace graphbench::cuda\n";
    source.threads = static_cast<unsigned>(threads_);
    const std::int64_t per_block = by_row_ ? columns_ : threads_ * items_;
    source.blocks = static_cast<unsigned>((elements_ + per_block - 1) / per_block);
    return source;
  }

 private:
  void line(const std::string& code) { text_ += "  " + code + "\n"; }
  void each(const std::string& code) { line("for (int i = 0; i < items; ++i) " + code); }

  void begin() {
    text_ = "namespace graphbench::cuda {\n\nusing T = " + std::string(element_ ? element_ : "") +
            ";\nstruct Pointers {\n";
    for (std::size_t i = 0; i < call_.read + call_.written; ++i)
      line((i < call_.read ? "const T* p" : "T* p") + text_of(static_cast<std::int64_t>(i)) + ";");
    text_ += "};\n\nextern \"C\" __global__ void __launch_bounds__(" + text_of(threads_) +
             ") chain(const Pointers p) {\n";
    line("let_next_kernel_start();");
    line("constexpr int items = " + text_of(items_) + ";");
    line("constexpr long long columns = " + text_of(columns_) + ";");
    // Of the thread's first element: its place, its column, and how many there are from it on.
    if (by_row_) {
      line("using Layout = " + (vector_ ? "Neighbours" : "Apart<" + text_of(threads_) + ">") + ";");
      line(std::string("const int column = static_cast<int>(threadIdx.x)") + (vector_ ? " * items;" : ";"));
      line("const long long at = blockIdx.x * columns + column;");
      line("const long long left = columns - column;");
    } else {
      line(std::string("using Layout = ") + (vector_ ? "Neighbours;" : "Apart<1>;"));
      line("const long long at = (blockIdx.x * " + text_of(threads_) + "ll + threadIdx.x) * items;");
      line("const int column = static_cast<int>(at % columns);");
      line("const long long left = " + text_of(elements_) + "ll - at;");
    }
    // What no op writes, while the kernels ahead still run.
    for (std::size_t op = 0; op < call_.ops.size(); ++op) {
      for (std::size_t i = 0; i < call_.ops[op].input_count; ++i) {
        if (call_.ops[op].is_weight(i)) (void)value(call_.places[op][i]);
      }
    }
    line("wait_for_kernels_ahead();");
    for (std::size_t place = 0; place < call_.read; ++place) (void)value(place);
  }

  static std::string name(std::size_t place) { return "v" + std::to_string(place); }

  // A value in registers: loaded where it is not there yet.
  std::string value(std::size_t place) {
    if (!known_[place]) {
      const bool is_vector = call_.values[place].dims.size() == 1;
      line("float " + name(place) + "[items];");
      line("Layout::load(" + name(place) + ", p.p" + std::to_string(place) +
           (is_vector ? " + column" : " + at") + ", left);");
      known_[place] = true;
    }
    return name(place);
  }

  void make(std::size_t place, const std::string& expression) {
    line("float " + name(place) + "[items];");
    each(name(place) + "[i] = rounded<T>(" + expression + ");");
    known_[place] = true;
    if (place < call_.read + call_.written)
      line("Layout::store(p.p" + std::to_string(place) + " + at, " + name(place) + ", left);");
  }

  // Empty, or why the op cannot be had.
  std::string add(const ir::OpCall& op, const std::vector<std::size_t>& places) {
    const std::string& kind = op.op->kind;
    const std::string x = value(places[0]);
    if (kind == "rope") return add_rope(op, places);
    if (kind == "relu" || kind == "gelu_tanh") {
      make(places[1], kind + "(" + x + "[i])");
    } else if (kind == "add" || kind == "bias_add") {
      make(places[2], "sum_of(" + x + "[i], " + value(places[1]) + "[i])");
    } else if (kind == "rmsnorm") {
      const std::string gamma = value(places[1]), of = std::to_string(places[2]);
      line("float squares" + of + " = 0.0f;");
      each("if (Layout::has(i, left)) squares" + of + " = add_square(squares" + of + ", " + x + "[i]);");
      const auto eps = static_cast<float>(ir::real_attribute(*op.op, "eps"));
      line("const float scale" + of + " = norm_scale(block_reduce<Sum>(squares" + of + "), columns, " +
           text_of(eps, "f") + ");");
      make(places[2], "normed(" + x + "[i], scale" + of + ", " + gamma + "[i])");
    } else {
      return "the generator has no " + kind;
    }
    return {};
  }

  std::string add_rope(const ir::OpCall& op, const std::vector<std::size_t>& places) {
    const std::vector<std::int64_t>& q = op.output(0).dims;
    const bool first = shared_bytes_ == 0;  // of several, all use one row
    if (first) shared_bytes_ = static_cast<std::size_t>(columns_) * element_bytes_;
    shared_bytes_ += static_cast<std::size_t>(q[3]) * sizeof(float);  // half as many angles, of two numbers
    if (shared_bytes_ > shared_bytes_max)
      return "rows of " + text_of(columns_) + " elements do not fit into shared memory";
    line(first ? "__shared__ alignas(16) T row[columns];" : "__syncthreads();");
    line("Layout::store(row + column, " + name(places[0]) + ", left);");
    line("__syncthreads();");
    std::string to;
    for (const std::size_t i : {1u, 2u, 3u}) to += "p.p" + std::to_string(places[i]) + ", ";
    line("rope_row<T, " + text_of(q[2]) + ", " + text_of(q[1]) + ", " + text_of(q[3]) + ">(row, " + to +
         text_of(std::log2(ir::real_attribute(*op.op, "theta")), "") + ");");
    return {};
  }

  const ChainCall& call_;
  std::vector<bool> known_;  // by place: in registers
  std::int64_t columns_ = 0;
  std::int64_t elements_ = 0;
  const char* element_ = nullptr;
  std::size_t element_bytes_ = 0;
  bool by_row_ = false;
  bool vector_ = false;
  std::int64_t threads_ = 0;
  std::int64_t items_ = 0;
  std::size_t shared_bytes_ = 0;
  std::string text_;
};

}  // namespace

ChainSource chain_source(const ChainCall& call) {
  return Generator(call).source();
}

}  // namespace graphbench::cuda
