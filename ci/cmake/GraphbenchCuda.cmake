# Finds the CUDA toolkit and sets GRAPHBENCH_HAVE_CUDA. Prints the result; fails only if the user asked for
# CUDA by name, or if the toolkit that was found cannot be used.
set(GRAPHBENCH_HAVE_CUDA OFF)
set(GRAPHBENCH_CUDA_LEAST 12.4)
if(NOT GRAPHBENCH_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(GRAPHBENCH_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_HOME PATH_SUFFIXES bin)
    if(GRAPHBENCH_NVCC)
      set(CMAKE_CUDA_COMPILER "${GRAPHBENCH_NVCC}")
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES 80) # for CMake's own tests
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    find_package(CUDAToolkit REQUIRED)
    if(CUDAToolkit_VERSION VERSION_LESS GRAPHBENCH_CUDA_LEAST)
      message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is of CUDA ${CUDAToolkit_VERSION}, and graphbench "
        "needs ${GRAPHBENCH_CUDA_LEAST} or newer: set CUDACXX to another toolkit's nvcc, or "
        "GRAPHBENCH_CUDA=OFF")
    endif()
    set(architectures ${GRAPHBENCH_CUDA_ARCHITECTURES})
    if(architectures STREQUAL "all")
      # From 75 to 120, as far as this toolkit has them. 86 and 89 run the code of 80.
      execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-code
        OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
      set(architectures 75 80 90 100 120)
      foreach(architecture IN LISTS architectures)
        if(NOT listed MATCHES "sm_${architecture}[^0-9a-z]")
          list(REMOVE_ITEM architectures ${architecture})
        endif()
      endforeach()
    endif()
    foreach(architecture IN LISTS architectures)
      # A driver does not translate PTX that is newer than it is, so each needs machine code.
      if(NOT architecture MATCHES "^[0-9]+[a-z]?(-real)?$")
        message(FATAL_ERROR "GRAPHBENCH_CUDA_ARCHITECTURES: ${architecture} is not an architecture with "
          "machine code: give numbers such as 80;90, or all")
      endif()
    endforeach()
    set(CMAKE_CUDA_ARCHITECTURES ${architectures})
    set(GRAPHBENCH_HAVE_CUDA ON)
    find_path(GRAPHBENCH_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    set(cudnn "no headers, so kernels of our own stand in for it")
    if(GRAPHBENCH_CUDNN_INCLUDE)
      set(cudnn "headers in ${GRAPHBENCH_CUDNN_INCLUDE}")
    endif()
    string(REPLACE ";" ", " listed "${architectures}")
    message(STATUS "CUDA backend: toolkit ${CUDAToolkit_VERSION} (from ${GRAPHBENCH_CUDA_LEAST} on), "
      "machine code for ${listed}; cuDNN: ${cudnn}")
  elseif(GRAPHBENCH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GRAPHBENCH_CUDA=ON, but no nvcc was found: install CUDA ${GRAPHBENCH_CUDA_LEAST} or "
      "newer, or set CUDACXX")
  else()
    message(STATUS "CUDA backend: not built, no nvcc was found")
  endif()
endif()
