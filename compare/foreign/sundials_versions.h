/* What differs between SUNDIALS 6, 7.0 and later versions, so that the drivers compile with each. */
#ifndef SUNDIALS_VERSIONS_H
#define SUNDIALS_VERSIONS_H

#include "liedae_program.h"
#include <stdio.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_types.h>
#include <sundials/sundials_version.h>

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
#endif

#if SUNDIALS_VERSION_MAJOR < 7 || (SUNDIALS_VERSION_MAJOR == 7 && SUNDIALS_VERSION_MINOR < 1)
#define ARKodeEvolve ARKStepEvolve
#define ARKodeFree ARKStepFree
#define ARKodeGetDky ARKStepGetDky
#define ARKodeGetNumErrTestFails ARKStepGetNumErrTestFails
#define ARKodeGetNumLinSolvSetups ARKStepGetNumLinSolvSetups
#define ARKodeGetNumNonlinSolvIters ARKStepGetNumNonlinSolvIters
#define ARKodeGetNumStepSolveFails ARKStepGetNumStepSolveFails
#define ARKodeGetNumSteps ARKStepGetNumSteps
#define ARKodeGetReturnFlagName ARKStepGetReturnFlagName
#define ARKodeSetInitStep ARKStepSetInitStep
#define ARKodeSetJacFn ARKStepSetJacFn
#define ARKodeSetLinearSolver ARKStepSetLinearSolver
#define ARKodeSetMaxNumSteps ARKStepSetMaxNumSteps
#define ARKodeSetOrder ARKStepSetOrder
#define ARKodeSetStopTime ARKStepSetStopTime
#define ARKodeSetUserData ARKStepSetUserData
#define ARKodeSStolerances ARKStepSStolerances
#endif

/* Says which SUNDIALS runs: that of the libraries that are loaded, which need not be that of the headers. */
static inline void say_version(const char *code) {
  char version[64] = "of unknown version", words[128];
  SUNDIALSGetVersion(version, sizeof version);
  snprintf(words, sizeof words, "%s of SUNDIALS %s", code, version);
  liedae_name(words);
}

#endif
