/* Stiff ODEs by CVODE (BDF, Newton, dense, analytic Jacobian): cvode_stiff PROBLEM RTOL ATOL SECONDS,
 * PROBLEM 1 van der Pol, 2 HIRES, 3 ring modulator: functions of ../fortran/stiff_problems.f90. */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

extern int __problems_MOD_problem;
void rhs_(int *n, double *t, double *y, double *f, double *unused, int *unused2);
void jacob_(int *n, double *t, double *y, double *d, int *rows, double *unused, int *unused2);

static int n;

static int rates(realtype t, N_Vector y, N_Vector f, void *user) {
  (void)user;
  rhs_(&n, &t, NV_DATA_S(y), NV_DATA_S(f), NULL, NULL);
  return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix m, void *user, N_Vector a, N_Vector b, N_Vector c) {
  (void)f, (void)user, (void)a, (void)b, (void)c;
  jacob_(&n, &t, NV_DATA_S(y), SUNDenseMatrix_Data(m), &n, NULL, NULL);
  return 0;
}

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One solution, named by --toggle-collect. */
__attribute__((noinline)) int solve_once(SUNContext context, double rtol, double atol, double t_end, double *end, long *steps) {
  double t;
  N_Vector y = N_VNew_Serial(n, context);
  double *values = NV_DATA_S(y);
  for (int i = 0; i < n; i++) values[i] = 0;
  if (__problems_MOD_problem == 1) values[0] = 2;
  if (__problems_MOD_problem == 2) values[0] = 1, values[7] = .0057;
  void *memory = CVodeCreate(CV_BDF, context);
  CVodeInit(memory, rates, 0, y);
  CVodeSStolerances(memory, rtol, atol);
  CVodeSetMaxNumSteps(memory, 100000000);
  SUNMatrix a = SUNDenseMatrix(n, n, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, a, context);
  CVodeSetLinearSolver(memory, solver, a);
  CVodeSetJacFn(memory, jacobian);
  CVodeSetStopTime(memory, t_end);
  int status = CVode(memory, t_end, y, &t, CV_NORMAL);
  CVodeGetNumSteps(memory, steps);
  for (int i = 0; i < n; i++) end[i] = values[i];
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(a);
  N_VDestroy(y);
  return status;
}

int main(int count, char **arguments) {
  if (count < 5) return printf("SUNDIALS %s\n", SUNDIALS_VERSION), 0;
  const int sizes[] = {2, 8, 15};
  const double ends[] = {2000, 321.8122, 1e-3};
  int problem = atoi(arguments[1]);
  double rtol = atof(arguments[2]), atol = atof(arguments[3]), seconds = atof(arguments[4]);
  double best = 1e30, begin = cpu(), end[15];
  long steps = 0, runs = 0;
  n = sizes[problem - 1];
  __problems_MOD_problem = problem;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  while (runs < 1 || cpu() - begin < seconds) {
    double once = cpu();
    int status = solve_once(context, rtol, atol, ends[problem - 1], end, &steps);
    if (status < 0) return printf("CVODE failed with %d\n", status), 1;
    once = cpu() - once;
    if (once < best) best = once;
    runs++;
  }
  printf("us=%.3f steps=%ld y=", best * 1e6, steps);
  for (int i = 0; i < n; i++) printf(" %.15e", end[i]);
  puts("");
  return 0;
}
