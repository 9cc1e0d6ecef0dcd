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

set(host_compilers ${CMAKE_CXX_COMPILER})
foreach(name g++ clang++)
  find_program(GPUPAR_CHECK_${name} ${name} DOC "A host compiler for the header checks")
  mark_as_advanced(GPUPAR_CHECK_${name})
  if(GPUPAR_CHECK_${name} AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND name STREQUAL "g++"
     OR GPUPAR_CHECK_${name} AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND name STREQUAL "clang++")
    list(APPEND host_compilers ${GPUPAR_CHECK_${name}})
  endif()
endforeach()

file(GLOB_RECURSE plain_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/*.hpp)
foreach(compiler IN LISTS host_compilers)
  foreach(header IN LISTS plain_headers)
    gpupar_check_header(${header} ${compiler}
      ${gpupar_warning_options} -fsyntax-only ${check_root}/empty.cpp)
  endforeach()
endforeach()

if(GPUPAR_WITH_CUDA)
  file(GLOB_RECURSE device_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/*.cuh)
  foreach(header IN LISTS device_headers)
    gpupar_check_header(${header} ${CMAKE_CUDA_COMPILER} -ptx -o ${check_root}/discarded.ptx ${check_root}/empty.cu)
  endforeach()
endif()

add_custom_target(header_checks ALL DEPENDS ${header_stamps})
