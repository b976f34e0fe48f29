/* Inlay's scratchpad planner for other compilers. Plain C, no exceptions, no global state.
 *
 *   inlay_problem* problem = inlay_problem_new(tensors, 5, nodes, 3, machine_yaml, 0, &error);
 *   inlay_plan* plan = problem ? inlay_plan_make(problem, &options, &error) : NULL;
 *   if (plan) use(inlay_plan_residencies(plan, &count), count); else puts(error);
 *   inlay_string_free(error); inlay_plan_free(plan); inlay_problem_free(problem);
 *
 * What a plan means and costs: docs/reference/scratchpad.md. */
#ifndef INLAY_H_
#define INLAY_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct inlay_problem inlay_problem;
typedef struct inlay_plan inlay_plan;

enum inlay_tensor_role { INLAY_ACTIVATION, INLAY_INPUT, INLAY_WEIGHT };

typedef struct {
  const char* name; /* unique */
  int64_t bytes;    /* at least 1 */
  int role;         /* activations are written by one node; the others lie off chip at the start */
  int is_output;    /* has to lie off chip in the end */
} inlay_tensor;

typedef struct {
  const char* name;    /* unique */
  int64_t macs;        /* multiply-accumulates; 0: the node only moves bytes */
  const size_t* reads; /* indices of tensors */
  size_t read_count;
  const size_t* writes; /* at least one */
  size_t write_count;
  int in_place; /* the first tensor written may take the place of one of as many bytes */
} inlay_node;

/* Nodes in an order in which they can run. The machine is the text of a native file
 * (`machine:`) whose units have peaks, or the name of a built-in. NULL: *error says all that is
 * wrong, one fault a line. Nothing that is passed in is kept. */
inlay_problem* inlay_problem_new(const inlay_tensor* tensors, size_t tensor_count,
                                 const inlay_node* nodes, size_t node_count, const char* machine,
                                 int weights_stay, char** error);
void inlay_problem_free(inlay_problem* problem);

typedef struct {
  const char* strategy;  /* "none", "next-use", "eager", "greedy", "lns", "exact"; NULL: lns */
  const char* objective; /* "latency", "bytes", "energy"; NULL: latency */
  double seconds;        /* most time; 0: no limit */
  int reorder;           /* nodes may run in another order */
  int threads;           /* 0: one */
} inlay_options;

/* NULL: *error says why there is no plan. options may be NULL. */
inlay_plan* inlay_plan_make(const inlay_problem* problem, const inlay_options* options,
                            char** error);
void inlay_plan_free(inlay_plan* plan);

typedef struct {
  double latency_seconds;
  int64_t offchip_bytes;
  double energy_pj;
  double bound; /* proven: no plan has less of the objective (seconds, bytes or pJ) */
} inlay_figures;
inlay_figures inlay_plan_figures(const inlay_plan* plan);

typedef struct {
  size_t tensor, memory; /* memories count in the order of the machine's file */
  int64_t address, bytes;
  size_t from, to; /* steps, half-open */
} inlay_residency;

/* These arrays live as long as the plan. order[step] is the index of a node. */
const size_t* inlay_plan_order(const inlay_plan* plan, size_t* count);
const inlay_residency* inlay_plan_residencies(const inlay_plan* plan, size_t* count);

/* plan.json, with every transfer; to be freed. */
char* inlay_plan_json(const inlay_plan* plan);

void inlay_string_free(char* text); /* NULL is fine */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
