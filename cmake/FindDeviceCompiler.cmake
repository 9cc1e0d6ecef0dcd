# Decides whether the device backend is built, and for which architectures.
# In: GPUPAR_CUDA (AUTO, ON, OFF), CMAKE_CUDA_COMPILER or CUDACXX, CMAKE_CUDA_ARCHITECTURES or CUDAARCHS.
# Out: GPUPAR_WITH_CUDA, and with it the language CUDA and the package CUDAToolkit.
set(GPUPAR_WITH_CUDA OFF)
set(gpupar_minimum_cuda 13.0)

if(NOT GPUPAR_CUDA MATCHES "^(AUTO|ON|OFF|TRUE|FALSE|YES|NO|1|0)$")
  message(FATAL_ERROR "GPUPAR_CUDA is '${GPUPAR_CUDA}'; it must be AUTO, ON or OFF")
endif()
if(NOT GPUPAR_CUDA)
  message(STATUS "gpupar: host backend alone (GPUPAR_CUDA=${GPUPAR_CUDA})")
  return()
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(GPUPAR_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin
    DOC "The CUDA compiler")
  mark_as_advanced(GPUPAR_NVCC)
  if(GPUPAR_NVCC)
    set(CMAKE_CUDA_COMPILER ${GPUPAR_NVCC})
  endif()
endif()

# The GPU at hand if there is one; otherwise a common one, whose PTX newer ones can also run.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 90)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  if(NOT failed AND capabilities)
    string(REPLACE "." "" CMAKE_CUDA_ARCHITECTURES "${capabilities}")
    list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES} CACHE STRING "Architectures of the device code")
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(GPUPAR_CUDA STREQUAL AUTO)
    message(STATUS "gpupar: host backend alone (no nvcc found; set CMAKE_CUDA_COMPILER if there is one)")
    return()
  endif()
  message(FATAL_ERROR "GPUPAR_CUDA is ON, but no nvcc was found: install the CUDA Toolkit, set CMAKE_CUDA_COMPILER, "
    "or configure with -DGPUPAR_CUDA=OFF")
endif()

enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS gpupar_minimum_cuda)
  set(reason "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is older than ${gpupar_minimum_cuda}")
  if(GPUPAR_CUDA STREQUAL AUTO)
    message(WARNING "gpupar: host backend alone: ${reason}")
    return()
  endif()
  message(FATAL_ERROR "GPUPAR_CUDA is ON, but ${reason}")
endif()

include(gpuparCudaStandard)
find_package(CUDAToolkit ${gpupar_minimum_cuda} REQUIRED)
set(GPUPAR_WITH_CUDA ON)
message(STATUS "gpupar: host and device backend, device code for ${CMAKE_CUDA_ARCHITECTURES}")
