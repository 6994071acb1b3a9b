/* In the mutants' build alone (tools/mutants): the mutant that runs is the one whose number LOCKSTEP_MUTANT says; 0 is none. */
#ifndef LOCKSTEP_MUTANT_H
#define LOCKSTEP_MUTANT_H

extern int lockstep_mutant;
#define mut(number) (lockstep_mutant == (number))

#endif
