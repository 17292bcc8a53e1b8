# shellcheck shell=sh
# shellcheck disable=SC2034 # used where this is sourced
# Sets MPIRUN, and `options` to the arguments for it. To be sourced.
MPIRUN=${MPIRUN:-mpirun}
case $($MPIRUN --version) in
*"Open MPI"* | *OpenRTE*) # as root, more ranks than cores, no network, containers in which no process may read another's memory
    export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
    options="--allow-run-as-root --map-by :OVERSUBSCRIBE"
    ;;
*) options= ;;
esac
