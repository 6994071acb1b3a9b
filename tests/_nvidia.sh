# Sourced by tests that ask NVIDIA's tools too, where they are installed.
#
# nvidia_tool NAME: where a tool is: in PATH, or of the CUDA that CUDA_HOME or CUDA_PATH names, or of the usual one. Nothing where it is not.
nvidia_tool() {
    command -v "$1" && return
    for cuda in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
        if [ -n "$cuda" ] && [ -x "$cuda/bin/$1" ]; then
            echo "$cuda/bin/$1"
            return
        fi
    done
}
