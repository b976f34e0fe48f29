/* Plans two nodes on a built-in machine with the installed library. */
#include <inlay.h>
#include <stdio.h>

int main(void) {
  const inlay_tensor tensors[] = {{"x", 4096, INLAY_INPUT, 0},
                                  {"a", 4096, INLAY_ACTIVATION, 0},
                                  {"y", 4096, INLAY_ACTIVATION, 1}};
  const size_t first[] = {0}, second[] = {1}, third[] = {2};
  const inlay_node nodes[] = {{"one", 1000000, first, 1, second, 1, 0},
                              {"two", 1000000, second, 1, third, 1, 0}};
  char* error = NULL;
  inlay_problem* problem = inlay_problem_new(tensors, 3, nodes, 2, "onsram", 0, &error);
  inlay_plan* plan = problem ? inlay_plan_make(problem, NULL, &error) : NULL;
  if (plan == NULL) {
    puts(error);
    return 1;
  }
  printf("%lld bytes off chip\n", (long long)inlay_plan_figures(plan).offchip_bytes);
  inlay_plan_free(plan);
  inlay_problem_free(problem);
  return 0;
}
