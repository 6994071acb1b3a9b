# lib/liblockstep.so: the device of include/lockstep/device.h for programs of the user's own, and what pkg-config says of it. The number of
# the library is that of its interface. In the build tree include/ is a link, so that its lib/pkgconfig serves too.
if(NOT TARGET ls_library_objects)
    return()
endif()
file(STRINGS "${CMAKE_SOURCE_DIR}/include/lockstep/device.h" interface REGEX "^#define LOCKSTEP_DEVICE_VERSION [0-9]+")
string(REGEX REPLACE "^.* " "" interface "${interface}")
set(map "${CMAKE_SOURCE_DIR}/src/library/liblockstep.map")

add_library(liblockstep SHARED $<TARGET_OBJECTS:ls_library_objects>)
set_target_properties(liblockstep PROPERTIES LINKER_LANGUAGE C PREFIX "" VERSION "${interface}.${PROJECT_VERSION}" SOVERSION "${interface}"
    LINK_DEPENDS "${map}")
target_link_libraries(liblockstep PRIVATE ls_gpu)
target_link_options(liblockstep PRIVATE "-Wl,--version-script=${map}" -Wl,--exclude-libs,ALL)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|Debug)$")
    target_link_options(liblockstep PRIVATE -Wl,--no-undefined)
endif()
if(TARGET lockstep)
    add_dependencies(lockstep liblockstep)
endif()

configure_file(src/library/liblockstep.pc.in lib/pkgconfig/liblockstep.pc @ONLY)
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/include" "${CMAKE_BINARY_DIR}/include" SYMBOLIC)
install(TARGETS liblockstep LIBRARY DESTINATION lib)
install(FILES "${CMAKE_BINARY_DIR}/lib/pkgconfig/liblockstep.pc" DESTINATION lib/pkgconfig COMPONENT development)
