// The names of all kinds that compute. A device must define one function per kind, or it does not link.
#pragma once

#define GRAPHBENCH_KINDS(KIND) \
  KIND(adamw)                  \
  KIND(add)                    \
  KIND(advance)                \
  KIND(batched_matmul)         \
  KIND(bias_add)               \
  KIND(column_sum)             \
  KIND(conv2d)                 \
  KIND(conv2d_grad_input)      \
  KIND(conv2d_grad_weight)     \
  KIND(cross_entropy_loss)     \
  KIND(gelu_tanh)              \
  KIND(gelu_tanh_grad)         \
  KIND(linear)                 \
  KIND(linear_grad_input)      \
  KIND(linear_grad_weight)     \
  KIND(mse_loss)               \
  KIND(relu)                   \
  KIND(relu_grad)              \
  KIND(rmsnorm)                \
  KIND(rmsnorm_grad_input)     \
  KIND(rmsnorm_grad_weight)    \
  KIND(rope)                   \
  KIND(rope_grad)              \
  KIND(rope_kv_append)         \
  KIND(sdpa)                   \
  KIND(sdpa_grad)              \
  KIND(sgd)                    \
  KIND(softmax)                \
  KIND(softmax_grad)
