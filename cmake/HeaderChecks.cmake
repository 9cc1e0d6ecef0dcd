# Every header must compile by itself: .hpp with every host compiler found, .cuh with nvcc.
# One stamp per header and compiler, so that only what changed is checked again.
set(header_root ${PROJECT_SOURCE_DIR}/include)
set(check_root ${CMAKE_CURRENT_BINARY_DIR}/headers)
set(header_stamps "")
foreach(extension cpp cu)
  if(NOT EXISTS ${check_root}/empty.${extension})
    file(WRITE ${check_root}/empty.${extension} "")
  endif()
endforeach()

# The remaining arguments are the compiler's options, the empty source among them.
function(gpupar_check_header header compiler)
  get_filename_component(compiler_name ${compiler} NAME)
  set(stamp ${check_root}/${compiler_name}/${header})
  get_filename_component(folder ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${stamp}.ok
    COMMAND ${compiler} -std=c++20 -I${header_root} -include ${header} -MD -MF ${stamp}.d -MT ${stamp}.ok ${ARGN}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}.ok
    DEPENDS ${header_root}/${header}
    DEPFILE ${stamp}.d
    COMMENT "Checking ${header} by itself with ${compiler_name}"
    VERBATIM)
  set(header_stamps ${header_stamps} ${stamp}.ok PARENT_SCOPE)
endfunction()

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(other_compiler clang++)
else()
  set(other_compiler g++)
endif()
find_program(GPUPAR_OTHER_COMPILER ${other_compiler} DOC "A second host compiler for the header checks")
mark_as_advanced(GPUPAR_OTHER_COMPILER)

# Those who include the headers may ask for more warnings than we do of ourselves.
set(header_options ${gpupar_warning_options} -Wpedantic -Wshadow -fsyntax-only ${check_root}/empty.cpp)
file(GLOB_RECURSE plain_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/*.hpp)
# Those of engines need theirs.
set(engine_headers gpu/mpi.hpp gpu/nccl.hpp)
list(REMOVE_ITEM plain_headers ${engine_headers})
foreach(header IN LISTS plain_headers)
  gpupar_check_header(${header} ${CMAKE_CXX_COMPILER} ${header_options})
endforeach()

# The other compiler reads the public headers, which include the rest.
if(GPUPAR_OTHER_COMPILER)
  file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/gpu/*.hpp)
  list(REMOVE_ITEM public_headers ${engine_headers})
  foreach(header IN LISTS public_headers)
    gpupar_check_header(${header} ${GPUPAR_OTHER_COMPILER} ${header_options})
  endforeach()
endif()

if(GPUPAR_WITH_CUDA)
  file(GLOB_RECURSE device_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/*.cuh)
  foreach(header IN LISTS device_headers)
    gpupar_check_header(${header} ${CMAKE_CUDA_COMPILER} -ptx -o ${check_root}/discarded.ptx ${check_root}/empty.cu)
  endforeach()
endif()

add_custom_target(header_checks ALL DEPENDS ${header_stamps})
