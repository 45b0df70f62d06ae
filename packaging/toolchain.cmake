# SPDX-License-Identifier: MIT
# Compiles the program of a package: for the C library of Debian 11, with everything else linked statically.
# PS_PACKAGE_ROOT is the folder that libraries.sh has filled, PS_PACKAGE_ARCHITECTURE is x86_64 or aarch64.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PS_PACKAGE_ROOT PS_PACKAGE_ARCHITECTURE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${PS_PACKAGE_ARCHITECTURE})
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET ${PS_PACKAGE_ARCHITECTURE}-linux-gnu)
set(CMAKE_SYSROOT ${PS_PACKAGE_ROOT})
set(CMAKE_LIBRARY_ARCHITECTURE ${CMAKE_C_COMPILER_TARGET})
set(CMAKE_FIND_ROOT_PATH ${PS_PACKAGE_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

set(PKG_CONFIG_ARGN --static)
set(ENV{PKG_CONFIG_LIBDIR} ${PS_PACKAGE_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${PS_PACKAGE_ROOT})

# No path of this machine is part of the program: builds in two folders are equal.
get_filename_component(PS_TREE ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(CMAKE_C_FLAGS_INIT "-ffunction-sections -fdata-sections -fstack-protector-strong -ffile-prefix-map=${PS_TREE}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(PERFSHELF_LOAD_AT_USE OFF CACHE BOOL "All libraries are static")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=lld -pie -static-libgcc -Wl,--gc-sections,--icf=safe,-z,relro,-z,now,--build-id=sha1,-s")
