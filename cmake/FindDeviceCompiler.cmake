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

# The GPUs at hand if there are any; otherwise a common one, whose PTX newer ones can also run.
function(gpupar_architectures_at_hand result)
  set(architectures 90)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  if(NOT failed AND capabilities)
    string(REPLACE "." "" architectures "${capabilities}")
    list(REMOVE_DUPLICATES architectures)
  endif()
  set(${result} "${architectures}" PARENT_SCOPE)
endfunction()

# Whether nvcc makes programs, tried in a project of its own: where it does not, enable_language() ends everything.
function(gpupar_try_nvcc works log)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/gpupar_nvcc)
  set(project "cmake_minimum_required(VERSION 3.25)\n")
  foreach(variable CMAKE_CUDA_COMPILER CMAKE_CUDA_HOST_COMPILER CMAKE_CUDA_FLAGS CMAKE_CUDA_ARCHITECTURES
          CMAKE_TOOLCHAIN_FILE)
    if(${variable})
      string(APPEND project "set(${variable} [==[${${variable}}]==])\n")
    endif()
  endforeach()
  file(REMOVE_RECURSE ${folder})
  file(WRITE ${folder}/CMakeLists.txt "${project}project(nvcc LANGUAGES CUDA)\n")
  # What runs a build is asked for in the cache alone.
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${CMAKE_GENERATOR}
      -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
  file(WRITE ${folder}/log "${output}")
  set(${log} ${folder}/log PARENT_SCOPE)
  if(failed)
    set(${works} OFF PARENT_SCOPE)
  else()
    set(${works} ON PARENT_SCOPE)
  endif()
endfunction()

# Why there is no device backend: a warning where nobody asked for one by name. Followed by return().
function(gpupar_host_alone reason)
  if(NOT GPUPAR_CUDA STREQUAL AUTO)
    message(FATAL_ERROR "GPUPAR_CUDA is ON, but ${reason}, or configure with -DGPUPAR_CUDA=OFF")
  endif()
  message(WARNING "gpupar: host backend alone: ${reason}")
endfunction()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(GPUPAR_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin
    DOC "The CUDA compiler")
  mark_as_advanced(GPUPAR_NVCC)
  if(GPUPAR_NVCC)
    set(CMAKE_CUDA_COMPILER ${GPUPAR_NVCC})
  elseif(GPUPAR_CUDA STREQUAL AUTO)
    message(STATUS "gpupar: host backend alone (no nvcc found; set CMAKE_CUDA_COMPILER if there is one)")
    return()
  else()
    gpupar_host_alone("no nvcc was found: install the CUDA Toolkit, set CMAKE_CUDA_COMPILER")
  endif()
endif()

# A project that has enabled CUDA before may have left the architectures to CMake, which takes the oldest that nvcc
# knows. Nobody has chosen them then, and the library's are those that it has when built by itself.
get_property(told CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
if(CMAKE_CUDA_COMPILER_LOADED AND NOT DEFINED ENV{CUDAARCHS} AND "${told}" STREQUAL "CUDA architectures"
   AND "${CMAKE_CUDA_ARCHITECTURES}" STREQUAL "$CACHE{CMAKE_CUDA_ARCHITECTURES}")
  gpupar_architectures_at_hand(CMAKE_CUDA_ARCHITECTURES)
elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  gpupar_architectures_at_hand(architectures)
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "Architectures of the device code")
endif()

if(NOT CMAKE_CUDA_COMPILER_LOADED)
  set(nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT nvcc)
    set(nvcc "$ENV{CUDACXX}")
  endif()
  if(NOT GPUPAR_WORKING_NVCC STREQUAL "${nvcc}")
    gpupar_try_nvcc(works log)
    if(NOT works)
      gpupar_host_alone("${nvcc} does not work (${log} says why): repair it, set CMAKE_CUDA_COMPILER to another")
      return()
    endif()
    set(GPUPAR_WORKING_NVCC "${nvcc}" CACHE INTERNAL "The CUDA compiler that has been tried")
  endif()
  enable_language(CUDA)
endif()

if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS gpupar_minimum_cuda)
  gpupar_host_alone("nvcc ${CMAKE_CUDA_COMPILER_VERSION} is older than ${gpupar_minimum_cuda}: install a newer one")
  return()
endif()

include(gpuparCudaStandard)
find_package(CUDAToolkit ${gpupar_minimum_cuda} REQUIRED)
set(GPUPAR_WITH_CUDA ON)
message(STATUS "gpupar: host and device backend, device code for ${CMAKE_CUDA_ARCHITECTURES}")
