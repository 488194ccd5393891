// Training steps through ops of a plugin that bring their gradients, and with hooks on gradients.
#pragma once

#include "tests/conformance/programs.hpp"

namespace graphbench::conformance {

enum class Gradient { right, wrong, uncapturable };

// w2 · b + a of (b, a) = test_swap(a, b), a = w0 · x, b = w1 · x: on every device and in every dtype, as its
// ops copy memory. Or of test_product(a, b), in fp32, whose ops run on the host, on every device.
ir::Program swapped(ir::DType dtype, Gradient gradient, const ir::TrainingOptions& options);
ir::Program multiplied(Gradient gradient, const ir::TrainingOptions& options);

// Of `swapped`, in forms and with hooks; they take even batches.
std::vector<NamedProgram> plugin_training_programs();

}  // namespace graphbench::conformance
