/* Loads whose addresses other loads bring, round after round of a loop: each has to wait for the one before, however
 * little each of them costs. Found in the code. */
#ifndef LOCKSTEP_PROFILE_CHAINS_H
#define LOCKSTEP_PROFILE_CHAINS_H

#include "isa/program.h"

/* The load in the innermost loop around a load whose value its address comes from; the load itself where each needs
 * the one before. ISA_PC_NONE: there is none, or it is no load of a loop. */
uint32_t profile_address_from(const struct isa_module *module, uint32_t pc);

#endif
