/* The libraries in the wheel `sundials4py` free what its Python part has attached to their objects. No part of it is here: nothing is
 * attached. */
#define NOTHING(name) \
  void name(void *table); \
  void name(void *table) { (void)table; }

NOTHING(SUNContextFunctionTable_Destroy)
NOTHING(SUNDomEigEstimatorFunctionTable_Destroy)
NOTHING(SUNLinearSolverFunctionTable_Destroy)
NOTHING(SUNLoggerFunctionTable_Destroy)
NOTHING(SUNNonlinearSolverFunctionTable_Destroy)
NOTHING(SUNStepperFunctionTable_Destroy)
NOTHING(arkode_user_supplied_fn_table_destroy)
NOTHING(cvode_user_supplied_fn_table_destroy)
NOTHING(idas_user_supplied_fn_table_destroy)
NOTHING(mristepinnerstepper_user_supplied_fn_table_destroy)
