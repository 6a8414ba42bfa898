/* SUNDIALS ARKODE's Runge-Kutta methods, with a dense direct solver, on problems of liedae in the form y' = f(t, y).
 *
 * Options: method=implicit (default) or explicit, order=2..5 or 2..8 (default 4), jacobian=served (default, where there is one) or
 * differences, first-step=H in s.
 */
#include "liedae_program.h"
#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static int rhs(realtype t, N_Vector y, N_Vector f, void *data) {
  return liedae_evaluate(data, t, N_VGetArrayPointer(y), NULL, N_VGetArrayPointer(f));
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector a, N_Vector b, N_Vector c) {
  (void)f, (void)a, (void)b, (void)c;
  return liedae_jacobian(data, t, 0.0, N_VGetArrayPointer(y), NULL, SUNDenseMatrix_Data(J));
}

/* What ARKODE has counted since it was started last, which forgets it. */
static long total[4];

static void add_counts(void *ark, int is_implicit, long *into) {
  long value;
  ARKStepGetNumSteps(ark, &value), into[0] += value;
  ARKStepGetNumErrTestFails(ark, &value), into[1] += value;
  if (!is_implicit) return;
  ARKStepGetNumStepSolveFails(ark, &value), into[1] += value;
  ARKStepGetNumNonlinSolvIters(ark, &value), into[2] += value;
  ARKStepGetNumLinSolvSetups(ark, &value), into[3] += value;
}

static void count(void *ark, double t, int is_implicit) {
  long sum[4];
  memcpy(sum, total, sizeof sum);
  add_counts(ark, is_implicit, sum);
  liedae_work(t, sum[0], sum[1], sum[2], sum[3], sum[2]);
}

static void need(int flag, const char *what) {
  char words[128];
  if (flag >= 0) return;
  snprintf(words, sizeof words, "%s: %s", what, ARKStepGetReturnFlagName(flag));
  liedae_fail(words);
}

int main(void) {
  const char *method, *order, *derivatives, *first;
  struct liedae_problem p;
  SUNContext context;
  N_Vector y, at_sample;
  SUNMatrix matrix = NULL;
  void *ark;
  double t;
  int is_implicit, piece, sample = 0, flag;
  long steps = 0;

  liedae_open();
  method = liedae_option("method");
  order = liedae_option("order");
  derivatives = liedae_option("jacobian");
  first = liedae_option("first-step");
  is_implicit = strcmp(method, "explicit") != 0;
  if (is_implicit && *method && strcmp(method, "implicit") != 0) liedae_deny("the option method is implicit or explicit");
  if (*order && (atoi(order) < 2 || atoi(order) > (is_implicit ? 5 : 8)))
    liedae_deny("the option order is 2 to 5 for implicit methods, 2 to 8 for explicit ones");
  if (*derivatives && strcmp(derivatives, "served") != 0 && strcmp(derivatives, "differences") != 0)
    liedae_deny("the option jacobian is served or differences");
  if (*first && !(atof(first) > 0.0)) liedae_deny("the option first-step is a positive number of seconds");
  p = liedae_form("ode");
  t = p.t;

  SUNContext_Create(NULL, &context);
  y = N_VMake_Serial(p.size, p.y, context);
  at_sample = N_VNew_Serial(p.size, context);
  ark = ARKStepCreate(is_implicit ? NULL : rhs, is_implicit ? rhs : NULL, t, y, context);
  if (!y || !at_sample || !ark) liedae_fail("no memory");
  need(ARKStepSStolerances(ark, p.rtol, p.atol), "ARKStepSStolerances");
  need(ARKStepSetUserData(ark, &p), "ARKStepSetUserData");
  need(ARKStepSetMaxNumSteps(ark, -1), "ARKStepSetMaxNumSteps");
  if (*order) need(ARKStepSetOrder(ark, atoi(order)), "ARKStepSetOrder");
  if (*first) need(ARKStepSetInitStep(ark, atof(first)), "ARKStepSetInitStep");
  if (is_implicit) {
    matrix = SUNDenseMatrix(p.size, p.size, context);
    need(ARKStepSetLinearSolver(ark, SUNLinSol_Dense(y, matrix, context), matrix), "ARKStepSetLinearSolver");
    if (p.has_jacobian && strcmp(derivatives, "differences") != 0)
      need(ARKStepSetJacFn(ark, jacobian), "ARKStepSetJacFn");
  }
  for (piece = 0; piece < p.ends; piece++) {
    double end = p.end[piece];
    if (piece > 0) {
      add_counts(ark, is_implicit, total);
      need(ARKStepReInit(ark, is_implicit ? NULL : rhs, is_implicit ? rhs : NULL, t, y), "ARKStepReInit");
    }
    need(ARKStepSetStopTime(ark, end), "ARKStepSetStopTime");
    for (flag = ARK_SUCCESS; flag != ARK_TSTOP_RETURN;) {
      flag = ARKStepEvolve(ark, end, y, &t, ARK_ONE_STEP);
      if (flag < 0) {
        char words[128];
        count(ark, t, is_implicit);
        snprintf(words, sizeof words, "%s at t = %.6g", ARKStepGetReturnFlagName(flag), t);
        liedae_fail(words);
      }
      if (p.max_steps && ++steps >= p.max_steps && (flag != ARK_TSTOP_RETURN || piece + 1 < p.ends)) {
        count(ark, t, is_implicit);
        liedae_fail("the limit of steps was reached");
      }
      if (p.watched) liedae_report(&p, "step", t, N_VGetArrayPointer(y), NULL);
      for (; sample < p.samples && p.sample[sample] <= t; sample++) {
        need(ARKStepGetDky(ark, p.sample[sample], 0, at_sample), "ARKStepGetDky");
        liedae_report(&p, "samp", p.sample[sample], N_VGetArrayPointer(at_sample), NULL);
      }
    }
  }
  count(ark, t, is_implicit);
  liedae_report(&p, "last", t, N_VGetArrayPointer(y), NULL);
  liedae_done();
  return 0;
}
