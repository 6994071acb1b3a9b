/* The identity of the simulator: 32 hexadecimal digits over the content of every source that can change what a run
 * gives (the rooms below, how programs are built and run, the machines), the compiler and its flags. The build makes it
 * anew when one of them changes (cmake/identity.cmake); studies, reports and listings are no part of it. Results of
 * equal identities can be put together, wherever they were made. */
#ifndef LOCKSTEP_CLI_IDENTITY_H
#define LOCKSTEP_CLI_IDENTITY_H

extern const char cli_identity[];

#endif
