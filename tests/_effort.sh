# Sourced by scripts that show the same of many combinations.
#
# in_turn CHOICE...: `chosen` is all of the choices with LOCKSTEP_LONG; otherwise one of them, each call's the one behind the last
# call's. A loop over cases then meets every choice, and not every choice with every case.
turn=0
in_turn() {
    chosen=("$@")
    [ -n "${LOCKSTEP_LONG:-}" ] || chosen=("${@:$((turn++ % $# + 1)):1}")
}
