/* SUNDIALS IDA with a dense direct solver, on problems of liedae in the form 0 = F(t, y, y').
 *
 * Options: index=stabilized (default) or 1, for problems with constraints; max-order=1..5; first-step=H in s;
 * suppress=yes or no: whether algebraic variables are left out of the error test (default: with index 2, as IDA's documentation
 * advises); jacobian=served (default) or differences.
 *
 * Consistent y and y' are served: IDACalcIC has nothing to do.
 * With -DWITH_SENSITIVITIES it is IDAS, which has the same functions.
 */
#include "liedae_program.h"
#include "sundials_versions.h"
#ifdef WITH_SENSITIVITIES
#include <idas/idas.h>
#define CODE "IDAS"
#else
#include <ida/ida.h>
#define CODE "IDA"
#endif
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static int residual(sunrealtype t, N_Vector y, N_Vector rate, N_Vector r, void *data) {
  return liedae_evaluate(data, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), N_VGetArrayPointer(r));
}

static int jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector rate, N_Vector r, SUNMatrix J, void *data, N_Vector a,
                    N_Vector b, N_Vector d) {
  (void)r, (void)a, (void)b, (void)d;
  return liedae_jacobian(data, t, c, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), SUNDenseMatrix_Data(J));
}

/* What IDA has counted since it was started last, which forgets it. */
static long total[4];

static void add_counts(void *ida, long *into) {
  long value;
  IDAGetNumSteps(ida, &value), into[0] += value;
  IDAGetNumErrTestFails(ida, &value), into[1] += value;
  IDAGetNumStepSolveFails(ida, &value), into[1] += value;
  IDAGetNumNonlinSolvIters(ida, &value), into[2] += value;
  IDAGetNumLinSolvSetups(ida, &value), into[3] += value;
}

static void count(void *ida, double t) {
  long sum[4];
  memcpy(sum, total, sizeof sum);
  add_counts(ida, sum);
  liedae_work(t, sum[0], sum[1], sum[2], sum[3], sum[2]);
}

static void need(int flag, const char *what) {
  char words[128];
  if (flag >= 0) return;
  snprintf(words, sizeof words, "%s: %s", what, IDAGetReturnFlagName(flag));
  liedae_fail(words);
}

int main(void) {
  const char *index, *order, *suppress, *derivatives, *first;
  struct liedae_problem p;
  SUNContext context;
  N_Vector y, rate, id, at_sample, rate_at_sample;
  SUNMatrix matrix;
  void *ida;
  double t, highest = 0.0;
  int piece, sample = 0, flag, i, without;
  long steps = 0;

  liedae_open();
  say_version(CODE);
  index = liedae_option("index");
  order = liedae_option("max-order");
  suppress = liedae_option("suppress");
  derivatives = liedae_option("jacobian");
  first = liedae_option("first-step");
  if (*index && strcmp(index, "1") != 0 && strcmp(index, "stabilized") != 0)
    liedae_deny("the option index is 1 or stabilized");
  if (*order && (atoi(order) < 1 || atoi(order) > 5)) liedae_deny("the option max-order is 1 to 5");
  if (*suppress && strcmp(suppress, "yes") != 0 && strcmp(suppress, "no") != 0)
    liedae_deny("the option suppress is yes or no");
  if (*derivatives && strcmp(derivatives, "served") != 0 && strcmp(derivatives, "differences") != 0)
    liedae_deny("the option jacobian is served or differences");
  if (*first && !(atof(first) > 0.0)) liedae_deny("the option first-step is a positive number of seconds");
  p = liedae_form(strcmp(index, "1") == 0 ? "dae1" : "dae2");
  t = p.t;
  for (i = 0; i < p.size; i++)
    if (p.index[i] > highest) highest = p.index[i];
  without = *suppress ? strcmp(suppress, "yes") == 0 : highest > 1.0;

  SUNContext_Create(SUN_COMM_NULL, &context);
  y = N_VMake_Serial(p.size, p.y, context);
  rate = N_VMake_Serial(p.size, p.rate, context);
  id = N_VMake_Serial(p.size, p.occurs, context);
  at_sample = N_VNew_Serial(p.size, context);
  rate_at_sample = N_VNew_Serial(p.size, context);
  ida = IDACreate(context);
  matrix = SUNDenseMatrix(p.size, p.size, context);
  if (!y || !rate || !id || !at_sample || !rate_at_sample || !ida || !matrix) liedae_fail("no memory");
  need(IDAInit(ida, residual, t, y, rate), "IDAInit");
  need(IDASStolerances(ida, p.rtol, p.atol), "IDASStolerances");
  need(IDASetUserData(ida, &p), "IDASetUserData");
  need(IDASetMaxNumSteps(ida, -1), "IDASetMaxNumSteps");
  need(IDASetId(ida, id), "IDASetId");
  need(IDASetSuppressAlg(ida, without), "IDASetSuppressAlg");
  if (*order) need(IDASetMaxOrd(ida, atoi(order)), "IDASetMaxOrd");
  if (*first) need(IDASetInitStep(ida, atof(first)), "IDASetInitStep");
  need(IDASetLinearSolver(ida, SUNLinSol_Dense(y, matrix, context), matrix), "IDASetLinearSolver");
  if (p.has_jacobian && strcmp(derivatives, "differences") != 0) need(IDASetJacFn(ida, jacobian), "IDASetJacFn");
  for (piece = 0; piece < p.ends; piece++) {
    double end = p.end[piece];
    if (piece > 0) {
      add_counts(ida, total);
      need(IDAReInit(ida, t, y, rate), "IDAReInit");
    }
    need(IDASetStopTime(ida, end), "IDASetStopTime");
    for (flag = IDA_SUCCESS; flag != IDA_TSTOP_RETURN;) {
      flag = IDASolve(ida, end, &t, y, rate, IDA_ONE_STEP);
      if (flag < 0) {
        char words[128];
        count(ida, t);
        snprintf(words, sizeof words, "%s at t = %.6g", IDAGetReturnFlagName(flag), t);
        liedae_fail(words);
      }
      if (p.max_steps && ++steps >= p.max_steps && (flag != IDA_TSTOP_RETURN || piece + 1 < p.ends)) {
        count(ida, t);
        liedae_fail("the limit of steps was reached");
      }
      if (p.watched) liedae_report(&p, "step", t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
      for (; sample < p.samples && p.sample[sample] <= t; sample++) {
        double at = p.sample[sample];
        need(IDAGetDky(ida, at, 0, at_sample), "IDAGetDky");
        need(IDAGetDky(ida, at, 1, rate_at_sample), "IDAGetDky");
        liedae_report(&p, "samp", at, N_VGetArrayPointer(at_sample), N_VGetArrayPointer(rate_at_sample));
      }
    }
  }
  count(ida, t);
  liedae_report(&p, "last", t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
  liedae_done();
  return 0;
}
