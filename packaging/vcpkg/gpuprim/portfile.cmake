# From a checkout: vcpkg install gpuprim --overlay-ports=packaging/vcpkg
set(VCPKG_BUILD_TYPE release) # a header

set(SOURCE_PATH "${CURRENT_PORT_DIR}/../../..")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/gpuprim)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
