# Outside libraries, all by pkg-config; docs/dependencies.md gives the reason for each. MPFR is only an oracle of
# tests: those that need it are skipped where it is missing. Without libmicrohttpd there is no
# monitor: `lockstep run --monitor` says so.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd)
if(LOCKSTEP_TESTS)
    pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
    pkg_check_modules(MPFR IMPORTED_TARGET mpfr)
endif()

# What each room links from outside; rooms above inherit it.
set(lockstep_external_base m Threads::Threads PkgConfig::ZSTD ${CMAKE_DL_LIBS})
set(lockstep_external_config PkgConfig::FYAML)
set(lockstep_external_stats PkgConfig::JANSSON PkgConfig::SQLITE)
set(lockstep_external_cuda PkgConfig::LZ4)
set(lockstep_external_cli PkgConfig::ZLIB)
if(NOT MICROHTTPD_FOUND)
    message(WARNING "libmicrohttpd is missing: `lockstep run --monitor` will be refused (tools/bootstrap installs it)")
endif()
