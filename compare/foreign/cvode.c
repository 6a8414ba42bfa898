/* SUNDIALS CVODE with a dense direct solver, on problems of liedae in the form y' = f(t, y).
 *
 * Options: method=bdf (default) or adams, max-order=1..5 or 1..12, jacobian=served (default, where there is one) or differences,
 * first-step=H in s. BDF iterates by Newton's method, Adams by fixed points, as CVODE's documentation advises for stiff and other problems.
 * With -DWITH_SENSITIVITIES it is CVODES, which has the same functions.
 */
#include "liedae_program.h"
#include "sundials_versions.h"
#ifdef WITH_SENSITIVITIES
#include <cvodes/cvodes.h>
#define CODE "CVODES"
#else
#include <cvode/cvode.h>
#define CODE "CVODE"
#endif
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

static int rhs(sunrealtype t, N_Vector y, N_Vector f, void *data) {
  return liedae_evaluate(data, t, N_VGetArrayPointer(y), NULL, N_VGetArrayPointer(f));
}

static int jacobian(sunrealtype t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector a, N_Vector b, N_Vector c) {
  (void)f, (void)a, (void)b, (void)c;
  return liedae_jacobian(data, t, 0.0, N_VGetArrayPointer(y), NULL, SUNDenseMatrix_Data(J));
}

/* What CVODE has counted since it was started last, which forgets it. */
static long total[5];

static void add_counts(void *cvode, int adams, long *into) {
  long value;
  CVodeGetNumSteps(cvode, &value), into[0] += value;
  CVodeGetNumErrTestFails(cvode, &value), into[1] += value;
  CVodeGetNumStepSolveFails(cvode, &value), into[1] += value;
  CVodeGetNumNonlinSolvIters(cvode, &value), into[2] += value;
  if (adams) return; /* fixed points need no matrix */
  into[4] += value;
  CVodeGetNumLinSolvSetups(cvode, &value), into[3] += value;
}

static void count(void *cvode, double t, int adams) {
  long sum[5];
  memcpy(sum, total, sizeof sum);
  add_counts(cvode, adams, sum);
  liedae_work(t, sum[0], sum[1], sum[2], sum[3], sum[4]);
}

static void need(int flag, const char *what) {
  char words[128];
  if (flag >= 0) return;
  snprintf(words, sizeof words, "%s: %s", what, CVodeGetReturnFlagName(flag));
  liedae_fail(words);
}

int main(void) {
  const char *method, *order, *derivatives, *first;
  struct liedae_problem p;
  SUNContext context;
  N_Vector y, at_sample;
  SUNMatrix matrix = NULL;
  void *cvode;
  double t;
  int adams, piece, sample = 0, flag;
  long steps = 0;

  liedae_open();
  say_version(CODE);
  method = liedae_option("method");
  order = liedae_option("max-order");
  derivatives = liedae_option("jacobian");
  first = liedae_option("first-step");
  adams = strcmp(method, "adams") == 0;
  if (!adams && *method && strcmp(method, "bdf") != 0) liedae_deny("the option method is bdf or adams");
  if (*derivatives && strcmp(derivatives, "served") != 0 && strcmp(derivatives, "differences") != 0)
    liedae_deny("the option jacobian is served or differences");
  if (*order && (atoi(order) < 1 || atoi(order) > (adams ? 12 : 5)))
    liedae_deny("the option max-order is 1 to 5 with bdf, 1 to 12 with adams");
  if (*first && !(atof(first) > 0.0)) liedae_deny("the option first-step is a positive number of seconds");
  p = liedae_form("ode");
  t = p.t;

  SUNContext_Create(SUN_COMM_NULL, &context);
  y = N_VMake_Serial(p.size, p.y, context);
  at_sample = N_VNew_Serial(p.size, context);
  cvode = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context);
  if (!y || !at_sample || !cvode) liedae_fail("no memory");
  need(CVodeInit(cvode, rhs, t, y), "CVodeInit");
  need(CVodeSStolerances(cvode, p.rtol, p.atol), "CVodeSStolerances");
  need(CVodeSetUserData(cvode, &p), "CVodeSetUserData");
  need(CVodeSetMaxNumSteps(cvode, -1), "CVodeSetMaxNumSteps");
  if (*order) need(CVodeSetMaxOrd(cvode, atoi(order)), "CVodeSetMaxOrd");
  if (*first) need(CVodeSetInitStep(cvode, atof(first)), "CVodeSetInitStep");
  if (adams) {
    SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    need(CVodeSetNonlinearSolver(cvode, iteration), "CVodeSetNonlinearSolver");
  } else {
    matrix = SUNDenseMatrix(p.size, p.size, context);
    need(CVodeSetLinearSolver(cvode, SUNLinSol_Dense(y, matrix, context), matrix), "CVodeSetLinearSolver");
    if (p.has_jacobian && strcmp(derivatives, "differences") != 0)
      need(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
  }
  for (piece = 0; piece < p.ends; piece++) {
    double end = p.end[piece];
    if (piece > 0) {
      add_counts(cvode, adams, total);
      need(CVodeReInit(cvode, t, y), "CVodeReInit");
    }
    need(CVodeSetStopTime(cvode, end), "CVodeSetStopTime");
    for (flag = CV_SUCCESS; flag != CV_TSTOP_RETURN;) {
      flag = CVode(cvode, end, y, &t, CV_ONE_STEP);
      if (flag < 0) {
        char words[128];
        count(cvode, t, adams);
        snprintf(words, sizeof words, "%s at t = %.6g", CVodeGetReturnFlagName(flag), t);
        liedae_fail(words);
      }
      if (p.max_steps && ++steps >= p.max_steps && (flag != CV_TSTOP_RETURN || piece + 1 < p.ends)) {
        count(cvode, t, adams);
        liedae_fail("the limit of steps was reached");
      }
      if (p.watched) liedae_report(&p, "step", t, N_VGetArrayPointer(y), NULL);
      for (; sample < p.samples && p.sample[sample] <= t; sample++) {
        double at = p.sample[sample];
        need(CVodeGetDky(cvode, at, 0, at_sample), "CVodeGetDky");
        liedae_report(&p, "samp", at, N_VGetArrayPointer(at_sample), NULL);
      }
    }
  }
  count(cvode, t, adams);
  liedae_report(&p, "last", t, N_VGetArrayPointer(y), NULL);
  liedae_done();
  return 0;
}
