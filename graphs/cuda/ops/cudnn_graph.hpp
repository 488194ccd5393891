// Describes a graph of cuDNN operations by descriptors. cudnn_plan.cpp and the tuner choose its engine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "graphs/cuda/handle.hpp"
#include "graphs/ir/types.hpp"

#if defined(GRAPHBENCH_HAVE_CUDNN)

namespace graphbench::cuda {

// Members throw Error(library_failed), which names `object`.
class CudnnDescriptor {
 public:
  CudnnDescriptor(const CudnnLibrary& library, cudnnBackendDescriptorType_t type, const char* object);

  void set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
               const void* values);
  template <class T>
  void set(cudnnBackendAttributeName_t name, const T& value) {
    set_raw(name, type_of(value), 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values);
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
  void set(cudnnBackendAttributeName_t name, const std::vector<const CudnnDescriptor*>& values);
  void finalize();
  bool try_finalize() noexcept;  // false if cuDNN does not support the description

  // Returns how many values the attribute has, which may be more than `capacity`.
  std::int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t capacity,
                   void* values) const;

  cudnnBackendDescriptor_t handle() const noexcept { return owner_.get(); }

 private:
  using Type = cudnnBackendAttributeType_t;
  static Type type_of(std::int64_t) { return CUDNN_TYPE_INT64; }
  static Type type_of(float) { return CUDNN_TYPE_FLOAT; }
  static Type type_of(bool) { return CUDNN_TYPE_BOOLEAN; }
  static Type type_of(cudnnDataType_t) { return CUDNN_TYPE_DATA_TYPE; }
  static Type type_of(cudnnHandle_t) { return CUDNN_TYPE_HANDLE; }
  static Type type_of(cudnnBackendHeurMode_t) { return CUDNN_TYPE_HEUR_MODE; }
  static Type type_of(cudnnConvolutionMode_t) { return CUDNN_TYPE_CONVOLUTION_MODE; }
  static Type type_of(cudnnPointwiseMode_t) { return CUDNN_TYPE_POINTWISE_MODE; }
  static Type type_of(cudnnReduceTensorOp_t) { return CUDNN_TYPE_REDUCTION_OPERATOR_TYPE; }

  const CudnnLibrary* library_;
  const char* object_;  // valid while the op is prepared
  CudnnDescriptorHandle owner_;
};

// A scalar that cuDNN takes by value, not by address: fp32 or i32 according to the tensor's type.
struct CudnnConstant {
  std::int64_t id = 0;
  std::array<std::byte, 4> value{};
};

struct CudnnTensors {
  std::vector<std::int64_t> ids;  // of the tensors in memory, ascending
  std::vector<CudnnConstant> constants;
};

// The graph needs its descriptors until it is finalized.
class CudnnGraph {
 public:
  const CudnnTensors& tensors() const { return tensors_; }

 protected:
  CudnnGraph(const CudnnLibrary& library, const char* object) : library_(library), object_(object) {
    descriptors_.reserve(64);  // keeps references to elements valid
  }

  using Dims = std::vector<std::int64_t>;
  struct Place {
    std::int64_t id = 0;  // 0: an intermediate, never in memory
    Dims dims;
    Dims strides;
    bool by_value = false;
  };
  struct PointwiseInputs {
    const CudnnDescriptor* x;
    const CudnnDescriptor* b = nullptr;
    const CudnnDescriptor* t = nullptr;
  };

  CudnnDescriptor& add(cudnnBackendDescriptorType_t type) {
    GRAPHBENCH_ASSERT(descriptors_.size() < descriptors_.capacity());
    return descriptors_.emplace_back(library_, type, object_);
  }
  void finish(CudnnDescriptor& operation);
  const CudnnDescriptor& tensor(const Place& place, cudnnDataType_t type);
  const CudnnDescriptor& pointwise(cudnnPointwiseMode_t mode, const PointwiseInputs& in,
                                   const CudnnDescriptor& out, cudnnDataType_t arithmetic = CUDNN_DATA_FLOAT,
                                   std::int64_t axis = -1);
  CudnnDescriptor graph(cudnnHandle_t handle) const;

  const CudnnLibrary& library_;
  const char* object_;
  CudnnTensors tensors_;
  std::int64_t next_id_ = 100;  // ids of intermediates and constants begin here

 private:
  std::vector<CudnnDescriptor> descriptors_;
  std::vector<const CudnnDescriptor*> operations_;
};

cudnnDataType_t cudnn_type(ir::DType dtype);

}  // namespace graphbench::cuda

#endif
