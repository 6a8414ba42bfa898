#!/usr/bin/env bash
# sundials4py 7.9.0 (Python): the wheel has SUNDIALS' headers and static libraries with files for CMake, but programs in C do not link with them.
#
# The libraries free what the wheel's Python part has attached to contexts, solvers and memory, by functions that only its extension
# module has. Seen: a program of SUNContext_Create and SUNContext_Free stops at the linker with SUNContextFunctionTable_Destroy as an
# undefined reference. With a function of that name that does nothing it links, runs, and says 7.9.0. Programs with ARKODE, CVODES and IDAS
# miss up to ten such functions (compare/foreign/sundials4py.c).
#
# For users who have no package of a current SUNDIALS: the wheel is the shortest way to one, for liedae's drivers as well
# (docs/book/src/comparing/foreign-solvers.md).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 --platform manylinux_2_28_x86_64 sundials4py==7.9.0
python3 -m zipfile -e sundials4py-*.whl wheel
cat > version.c <<'END'
#include <stdio.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_version.h>
#ifdef HOOK
void SUNContextFunctionTable_Destroy(void *table) { (void)table; }
void SUNLoggerFunctionTable_Destroy(void *table) { (void)table; }
#endif
int main(void) {
  char version[32];
  SUNContext context;
  if (SUNContext_Create(SUN_COMM_NULL, &context) || SUNContext_Free(&context)) return 1;
  SUNDIALSGetVersion(version, sizeof version);
  return puts(version) < 0;
}
END
build() { cc "$@" -Iwheel/include version.c -Lwheel/lib64 -lsundials_core -lm -o version; }
if build 2> errors; then echo "it links by now"; exit 1; fi
grep 'undefined reference to .SUNContextFunctionTable_Destroy' errors
build -DHOOK
test "$(./version)" = 7.9.0
