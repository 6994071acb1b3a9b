/* Members that one room alone writes. A structure that rooms share declares them ROOM_KEPT in the header of the room whose
 * they are. tools/check-rooms reads all rooms above with LOCKSTEP_ROOMS defined: there such a member is const, so that a
 * write to it outside of its room, through whatever name, is an error of the compiler. */
#ifndef LOCKSTEP_BASE_ROOM_H
#define LOCKSTEP_BASE_ROOM_H

#ifdef LOCKSTEP_ROOMS
#define ROOM_KEPT const
#else
#define ROOM_KEPT
#endif

#endif
