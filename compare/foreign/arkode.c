/* SUNDIALS ARKODE's Runge-Kutta methods, with a dense direct solver, on problems of liedae in the form y' = f(t, y).
 *
 * Options: method=implicit (default) or explicit, order=N (default 4; which there are depends on the
 * version: 6.4.1 has 2 to 5 and 2 to 6 and 8, 7.9.0 has 2 to 5 and 2 to 9), jacobian=served (default, where there is one) or
 * differences, first-step=H in s.
 */
#include "liedae_program.h"
#include "sundials_versions.h"
#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

/* Orders above are not looked for. */
#define HIGHEST 20

static int rhs(sunrealtype t, N_Vector y, N_Vector f, void *data) {
  return liedae_evaluate(data, t, N_VGetArrayPointer(y), NULL, N_VGetArrayPointer(f));
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector a, N_Vector b, N_Vector c) {
  (void)f, (void)a, (void)b, (void)c;
  return liedae_jacobian(data, t, 0.0, N_VGetArrayPointer(y), NULL, SUNDenseMatrix_Data(J));
}

/* What ARKODE has counted since it was started last, which forgets it. */
static long total[4];

static void add_counts(void *ark, int is_implicit, long *into) {
  long value;
  ARKodeGetNumSteps(ark, &value), into[0] += value;
  ARKodeGetNumErrTestFails(ark, &value), into[1] += value;
  if (!is_implicit) return;
  ARKodeGetNumStepSolveFails(ark, &value), into[1] += value;
  ARKodeGetNumNonlinSolvIters(ark, &value), into[2] += value;
  ARKodeGetNumLinSolvSetups(ark, &value), into[3] += value;
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
  snprintf(words, sizeof words, "%s: %s", what, ARKodeGetReturnFlagName(flag));
  liedae_fail(words);
}

/* The order of the method that runs, 0 before the first step. */
static int order_of(void *ark, int is_implicit) {
  ARKodeButcherTable by_implicit = NULL, by_explicit = NULL, table;
  ARKStepGetCurrentButcherTables(ark, &by_implicit, &by_explicit);
  table = is_implicit ? by_implicit : by_explicit;
  return table ? table->q : 0;
}

static int rest(sunrealtype t, N_Vector y, N_Vector f, void *data) {
  (void)t, (void)y, (void)data;
  N_VConst(0.0, f);
  return 0;
}

/* Whether there is a method of this order: ARKODE takes one of another order where there is none, without an error, which is seen after a
 * step only, here one of y' = 0. */
static int is_order(int order, int is_implicit) {
  SUNContext context;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  N_Vector y;
  void *ark;
  double t = 0.0;
  int found;
  SUNContext_Create(SUN_COMM_NULL, &context);
  y = N_VNew_Serial(1, context);
  N_VConst(0.0, y);
  ark = ARKStepCreate(is_implicit ? NULL : rest, is_implicit ? rest : NULL, t, y, context);
  matrix = SUNDenseMatrix(1, 1, context);
  solver = SUNLinSol_Dense(y, matrix, context);
  ARKodeSStolerances(ark, 1e-3, 1e-3);
  ARKodeSetOrder(ark, order);
  if (is_implicit) ARKodeSetLinearSolver(ark, solver, matrix);
  found = ARKodeEvolve(ark, 1.0, y, &t, ARK_ONE_STEP) >= 0 && order_of(ark, is_implicit) == order;
  ARKodeFree(&ark);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return found;
}

static void deny_order(int is_implicit) {
  char words[192];
  int order, length = snprintf(words, sizeof words, "the option order is one of those that this version of ARKODE has for %s methods:",
                               is_implicit ? "implicit" : "explicit");
  for (order = 1; order <= HIGHEST; order++)
    if (is_order(order, is_implicit)) length += snprintf(words + length, sizeof words - (size_t)length, " %d", order);
  liedae_deny(words);
}

int main(void) {
  const char *method, *order, *derivatives, *first;
  char *end_of_order;
  struct liedae_problem p;
  SUNContext context;
  N_Vector y, at_sample;
  SUNMatrix matrix = NULL;
  void *ark;
  double t;
  int is_implicit, piece, sample = 0, flag;
  long wanted, steps = 0;

  liedae_open();
  say_version("ARKODE");
  method = liedae_option("method");
  order = liedae_option("order");
  derivatives = liedae_option("jacobian");
  first = liedae_option("first-step");
  is_implicit = strcmp(method, "explicit") != 0;
  if (is_implicit && *method && strcmp(method, "implicit") != 0) liedae_deny("the option method is implicit or explicit");
  wanted = strtol(order, &end_of_order, 10);
  if (*order && (*end_of_order || wanted < 1 || wanted > HIGHEST)) deny_order(is_implicit);
  if (*derivatives && strcmp(derivatives, "served") != 0 && strcmp(derivatives, "differences") != 0)
    liedae_deny("the option jacobian is served or differences");
  if (*first && !(atof(first) > 0.0)) liedae_deny("the option first-step is a positive number of seconds");
  p = liedae_form("ode");
  t = p.t;

  SUNContext_Create(SUN_COMM_NULL, &context);
  y = N_VMake_Serial(p.size, p.y, context);
  at_sample = N_VNew_Serial(p.size, context);
  ark = ARKStepCreate(is_implicit ? NULL : rhs, is_implicit ? rhs : NULL, t, y, context);
  if (!y || !at_sample || !ark) liedae_fail("no memory");
  need(ARKodeSStolerances(ark, p.rtol, p.atol), "ARKodeSStolerances");
  need(ARKodeSetUserData(ark, &p), "ARKodeSetUserData");
  need(ARKodeSetMaxNumSteps(ark, -1), "ARKodeSetMaxNumSteps");
  if (*order) need(ARKodeSetOrder(ark, (int)wanted), "ARKodeSetOrder");
  if (*first) need(ARKodeSetInitStep(ark, atof(first)), "ARKodeSetInitStep");
  if (is_implicit) {
    matrix = SUNDenseMatrix(p.size, p.size, context);
    need(ARKodeSetLinearSolver(ark, SUNLinSol_Dense(y, matrix, context), matrix), "ARKodeSetLinearSolver");
    if (p.has_jacobian && strcmp(derivatives, "differences") != 0)
      need(ARKodeSetJacFn(ark, jacobian), "ARKodeSetJacFn");
  }
  for (piece = 0; piece < p.ends; piece++) {
    double end = p.end[piece];
    if (piece > 0) {
      add_counts(ark, is_implicit, total);
      need(ARKStepReInit(ark, is_implicit ? NULL : rhs, is_implicit ? rhs : NULL, t, y), "ARKStepReInit");
    }
    need(ARKodeSetStopTime(ark, end), "ARKodeSetStopTime");
    for (flag = ARK_SUCCESS; flag != ARK_TSTOP_RETURN;) {
      flag = ARKodeEvolve(ark, end, y, &t, ARK_ONE_STEP);
      if (*order && order_of(ark, is_implicit) != wanted && !is_order((int)wanted, is_implicit)) deny_order(is_implicit);
      if (flag < 0) {
        char words[128];
        count(ark, t, is_implicit);
        snprintf(words, sizeof words, "%s at t = %.6g", ARKodeGetReturnFlagName(flag), t);
        liedae_fail(words);
      }
      if (p.max_steps && ++steps >= p.max_steps && (flag != ARK_TSTOP_RETURN || piece + 1 < p.ends)) {
        count(ark, t, is_implicit);
        liedae_fail("the limit of steps was reached");
      }
      if (p.watched) liedae_report(&p, "step", t, N_VGetArrayPointer(y), NULL);
      for (; sample < p.samples && p.sample[sample] <= t; sample++) {
        need(ARKodeGetDky(ark, p.sample[sample], 0, at_sample), "ARKodeGetDky");
        liedae_report(&p, "samp", p.sample[sample], N_VGetArrayPointer(at_sample), NULL);
      }
    }
  }
  count(ark, t, is_implicit);
  liedae_report(&p, "last", t, N_VGetArrayPointer(y), NULL);
  liedae_done();
  return 0;
}
