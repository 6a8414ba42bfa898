#!/bin/bash
# Spreads a comparison over the nodes of a Slurm cluster.
#
#   compare.sh PARTS OUT ARGUMENTS...
#
# submits a job array of PARTS elements, each of which makes `liedae compare ARGUMENTS... --shard i/PARTS`, and a job behind it that
# puts the parts together in OUT, a folder that all nodes see. Choose PARTS so that an element takes minutes: a run takes milliseconds
# to seconds, a reference up to a minute. An element that was killed goes on where it was when it is submitted again:
#
#   LIEDAE=/path/liedae OUT=/path/out PARTS=3 sbatch --array=2 --chdir=/path/out compare.sbatch ARGUMENTS...
#
# LIEDAE is the command (default: liedae on the PATH); more options for Slurm stand in SBATCH_OPTIONS, such as
# "--partition=short --time=01:00:00".
set -euo pipefail
if [ $# -lt 3 ]; then
  echo "usage: $0 PARTS OUT ARGUMENTS-OF-COMPARE..." >&2
  exit 2
fi
parts=$1
out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
command=${LIEDAE:-liedae}
if ! LIEDAE=$(command -v "$command"); then
  echo "$0: there is no command $command; set LIEDAE" >&2
  exit 2
fi
# Jobs run in OUT.
LIEDAE=$(realpath "$LIEDAE")
OUT=$(realpath "$out")
PARTS=$parts
export LIEDAE OUT PARTS
read -ra options <<<"${SBATCH_OPTIONS:-}"
array=$(sbatch --parsable "${options[@]}" --array="1-$parts" --chdir="$OUT" "$here/compare.sbatch" "$@")
echo "parts: job $array, elements 1 to $parts"
merge=$(sbatch --parsable "${options[@]}" --dependency="afterok:$array" --chdir="$OUT" "$here/merge.sbatch")
echo "merge: job $merge, when all parts are there"
