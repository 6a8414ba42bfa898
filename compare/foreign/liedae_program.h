/* The program's side of liedae's protocol for foreign solvers, version 1; see docs/book/src/comparing/foreign-solvers.md.
 *
 * A solver asks for what it needs and reports what it found:
 *
 *     liedae_open();                                    first of all
 *     liedae_name("CVODE of SUNDIALS 7.9.0");           what the solver is, with its version; may be left out
 *     const char *value = liedae_option("max-order");   "" if it is not set
 *     struct liedae_problem p = liedae_form("ode");     or "dae1", "dae2"
 *     liedae_evaluate(&p, t, y, NULL, f);               0, or 1 where the equations cannot be evaluated
 *     liedae_report(&p, "step", t, y, NULL);            after every step if p.watched; "samp" at p.samples, "last" at the end
 *     liedae_work(t, accepted, rejected, newton, factorizations, solves);
 *     liedae_done();                                    or liedae_fail("why")
 *
 * The CPU time of the thread is measured here, without that of these functions. Words that a solver writes to stdout go to stderr.
 */
#ifndef LIEDAE_PROGRAM_H
#define LIEDAE_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

struct liedae_problem {
  int size;         /* number of unknowns y */
  int implicit;     /* whether the equations are F(t, y, y') = 0 instead of y' = f(t, y) */
  int has_jacobian; /* whether liedae_jacobian may be called */
  double rtol, atol;
  long max_steps;   /* 0: no limit */
  int watched;      /* whether every step is to be reported */
  int ends;         /* ends of the pieces on which the equations are smooth in t; a solver starts anew at each but the last */
  double *end;
  int samples;      /* times at which states are to be reported, ascending */
  double *sample;
  double t, *y, *rate; /* the start; rate is y', NULL if not implicit */
  double *occurs;      /* 1 for unknowns whose derivative occurs, 0 for others */
  double *index;       /* index of each unknown: 0 for those of an ODE */
};

void liedae_open(void);
void liedae_name(const char *what); /* right after liedae_open */
const char *liedae_option(const char *name);
struct liedae_problem liedae_form(const char *name);
int liedae_evaluate(const struct liedae_problem *p, double t, const double *y, const double *rate, double *out);
/* Column by column: the derivative of f by y, or that of F by y plus c times that by y'. */
int liedae_jacobian(const struct liedae_problem *p, double t, double c, const double *y, const double *rate, double *out);
void liedae_report(const struct liedae_problem *p, const char *what, double t, const double *y, const double *rate);
void liedae_work(double t, long accepted, long rejected, long newton, long factorizations, long solves);
void liedae_done(void);
void liedae_fail(const char *why); /* the solver failed; does not return */
void liedae_deny(const char *why); /* it cannot solve this, or an option is wrong; does not return */

#ifdef __cplusplus
}
#endif
#endif
