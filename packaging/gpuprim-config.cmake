# gpuprim::gpuprim: the folder of gpuprim.h, and the OpenCL loader. vcpkg moves this file, and looks for the next line.
get_filename_component(PACKAGE_PREFIX_DIR "${CMAKE_CURRENT_LIST_DIR}/../../../" ABSOLUTE)

include(CMakeFindDependencyMacro)
find_dependency(OpenCL 1.2)

if(NOT TARGET gpuprim::gpuprim)
    add_library(gpuprim::gpuprim INTERFACE IMPORTED)
    set_target_properties(gpuprim::gpuprim PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${PACKAGE_PREFIX_DIR}/include"
        INTERFACE_LINK_LIBRARIES OpenCL::OpenCL)
endif()
