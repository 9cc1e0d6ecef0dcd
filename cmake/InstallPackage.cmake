# cmake --install: headers, library, CMake package and pkg-config file, all relocatable. Component runtime is what a
# program needs that was linked with a shared library, component development is the rest.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpupar)
set(installed_targets gpupar)
if(GPUPAR_WITH_CUDA)
  list(APPEND installed_targets gpupar_cuda)
endif()

install(TARGETS ${installed_targets} EXPORT gpuparTargets
  RUNTIME COMPONENT runtime
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gpu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(NOT GPUPAR_DEBIAN)  # whose packages have a file of copyrights each
  foreach(component runtime development)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/gpupar
      COMPONENT ${component})
  endforeach()
endif()
install(EXPORT gpuparTargets NAMESPACE gpupar:: DESTINATION ${package_dir} COMPONENT development)

# Dependents of a static library link what it needs; of a shared one, nothing more.
if(BUILD_SHARED_LIBS)
  set(GPUPAR_STATIC OFF)
else()
  set(GPUPAR_STATIC ON)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gpuparConfig.cmake.in
  ${PROJECT_BINARY_DIR}/gpuparConfig.cmake INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpuparConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpuparConfig.cmake ${PROJECT_BINARY_DIR}/gpuparConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/gpuparCudaStandard.cmake ${CMAKE_CURRENT_LIST_DIR}/gpuparEngines.cmake
  DESTINATION ${package_dir} COMPONENT development)

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix /prefix/${pc_dir} /prefix)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_cuda "")
if(GPUPAR_WITH_CUDA)
  get_target_property(cuda_runtime CUDA::cudart_static IMPORTED_LOCATION)
  get_filename_component(cuda_library_dir ${cuda_runtime} DIRECTORY)
  # Words that nvcc knows, too: -pthread is none of them.
  set(pc_cuda "-L${cuda_library_dir} -lcudart_static -ldl -lrt -lpthread")
endif()
if(GPUPAR_STATIC)
  set(pc_needs "Requires: tbb\nLibs: -L\${libdir} -lgpupar ${pc_cuda}")
else()
  set(pc_needs "Libs: -L\${libdir} -lgpupar")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/gpupar.pc.in ${PROJECT_BINARY_DIR}/gpupar.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gpupar.pc DESTINATION ${pc_dir} COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake.in ${PROJECT_BINARY_DIR}/Uninstall.cmake @ONLY)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_BINARY_DIR}/Uninstall.cmake
    COMMENT "Removing what was installed" VERBATIM)
endif()
