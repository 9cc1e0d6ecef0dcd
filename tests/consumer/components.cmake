# cmake -DBUILD=… -DROOT=… -P components.cmake
# Component runtime holds the shared library under its versioned names and nothing else; component development the rest,
# and both together all that an installation without components has.
foreach(component runtime development)
  file(REMOVE_RECURSE ${ROOT}/${component})
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${ROOT}/${component}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE ${component} LIST_DIRECTORIES false RELATIVE ${ROOT}/${component} ${ROOT}/${component}/*)
endforeach()
file(REMOVE_RECURSE ${ROOT}/all)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${ROOT}/all OUTPUT_QUIET
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE all LIST_DIRECTORIES false RELATIVE ${ROOT}/all ${ROOT}/all/*)

if(NOT runtime)
  message(FATAL_ERROR "component runtime is empty")
endif()
foreach(name IN LISTS runtime)
  if(NOT name MATCHES "/libgpupar\\.so\\.[0-9.]+$")
    message(SEND_ERROR "component runtime holds ${name}")
  endif()
endforeach()
foreach(wanted include/gpu/algorithm.hpp gpuparConfig.cmake gpupar.pc libgpupar.so)
  if(NOT "${development}" MATCHES "${wanted}(;|$)")
    message(SEND_ERROR "component development lacks ${wanted}")
  endif()
endforeach()
set(parts ${runtime} ${development})
list(SORT parts)
list(SORT all)
if(NOT parts STREQUAL all)
  message(FATAL_ERROR "the components together are not the whole:\n${parts}\n${all}")
endif()
