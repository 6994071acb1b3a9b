/* The pieces of disassembly that disasm.c and disasm_module.c share. */
#ifndef LOCKSTEP_ISA_DISASM_H
#define LOCKSTEP_ISA_DISASM_H

#include "isa/program.h"

/* Appends a constant of the type as a literal that parses back to the same bits. */
void isa_disasm_constant(uint64_t bits, enum isa_type type, struct strbuf *out);

#endif
