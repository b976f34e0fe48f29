/* The C interface from C: a chain of three nodes, planned, and every kind of fault. */
#include "capi/inlay.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int good, const char* what) {
  if (good) return;
  printf("failed: %s\n", what);
  ++failures;
}

static const char kMachine[] =
    "format: inlay/1\n"
    "machine:\n"
    "  name: small\n"
    "  clock: 1 GHz\n"
    "  units: {core: {peak: 1 TMAC/s}}\n"
    "  memories:\n"
    "    pad: {size: 1 KiB, bandwidth: 64 B/cycle, energy: 1 pJ/B, alignment: 16 B, reached_by: [core]}\n"
    "  offchip: {bandwidth: 1 GB/s, energy: 10 pJ/B}\n";

static const inlay_tensor kTensors[] = {{"x", 100, INLAY_INPUT, 0},
                                        {"w", 50, INLAY_WEIGHT, 0},
                                        {"a", 300, INLAY_ACTIVATION, 0},
                                        {"b", 300, INLAY_ACTIVATION, 0},
                                        {"y", 100, INLAY_ACTIVATION, 1}};
static const size_t k0[] = {0, 1}, k2[] = {2}, k3[] = {3}, k31[] = {3, 1}, k4[] = {4}, k9[] = {9};
static const inlay_node kNodes[] = {{"first", 1000, k0, 2, k2, 1, 0},
                                    {"second", 0, k2, 1, k3, 1, 1},
                                    {"third", 1000, k31, 2, k4, 1, 0}};

/* All three nodes at one address after the other, x and w read once, y written. */
static void plans(void) {
  char* error = NULL;
  inlay_options options = {"lns", "bytes", 10, 0, 1};
  size_t count = 0, i = 0;
  inlay_problem* problem = inlay_problem_new(kTensors, 5, kNodes, 3, kMachine, 0, &error);
  inlay_plan* plan = problem != NULL ? inlay_plan_make(problem, &options, &error) : NULL;
  inlay_problem_free(problem); /* the plan does not need it */
  check(plan != NULL && error == NULL, "there is a plan");
  if (plan == NULL) return;
  check(inlay_plan_figures(plan).offchip_bytes == 100 + 50 + 100, "only the compulsory bytes");
  check(inlay_plan_figures(plan).bound <= 250, "the bound is none above it");
  check(inlay_plan_order(plan, &count)[0] == 0 && count == 3, "the order");
  const inlay_residency* stays = inlay_plan_residencies(plan, &count);
  for (i = 0; i < count; ++i) {
    check(stays[i].address % 16 == 0 && stays[i].bytes % 16 == 0, "aligned");
    check(stays[i].memory == 0 && stays[i].tensor < 5 && stays[i].from < stays[i].to, "in range");
  }
  check(count >= 3, "w, a and b are kept");
  char* json = inlay_plan_json(plan);
  check(json != NULL && strstr(json, "\"inlay/plan/1\"") != NULL, "plan.json");
  inlay_string_free(json);
  inlay_plan_free(plan);
}

static void refuses(const inlay_tensor* tensors, size_t tensor_count, const inlay_node* nodes,
                    size_t node_count, const char* machine, const char* message) {
  char* error = NULL;
  inlay_problem* problem =
      inlay_problem_new(tensors, tensor_count, nodes, node_count, machine, 0, &error);
  check(problem == NULL, message);
  if (error == NULL || strstr(error, message) == NULL) {
    printf("expected '%s', found '%s'\n", message, error == NULL ? "nothing" : error);
    ++failures;
  }
  inlay_string_free(error);
  inlay_problem_free(problem);
}

int main(void) {
  const inlay_tensor empty[] = {{"x", 0, INLAY_INPUT, 0}, {"y", 1, INLAY_ACTIVATION, 1}};
  const size_t zero[] = {0}, one[] = {1};
  const inlay_node copy[] = {{"copy", 0, zero, 1, one, 1, 0}};
  const inlay_node wild[] = {{"wild", 0, k9, 1, one, 1, 0}};
  const inlay_node late[] = {kNodes[1], kNodes[0], kNodes[2]};
  char* error = NULL;
  inlay_options options = {"best", "joy", 0, 0, 0};
  plans();
  refuses(empty, 2, copy, 1, kMachine, "tensor 'x' has 0 bytes");
  refuses(kTensors, 5, wild, 1, kMachine, "names tensor 9, but there are 5");
  refuses(kTensors, 5, late, 3, kMachine, "reads 'a' before it is written");
  refuses(kTensors, 5, kNodes, 2, kMachine, "no node writes 'y'");
  refuses(kTensors, 5, kNodes, 0, kMachine, "there are no nodes");
  refuses(kTensors, 5, kNodes, 3, "onsrm", "onsrm");
  refuses(kTensors, 5, kNodes, 3, "format: inlay/1\nmachine: {nam: x}\n", "nam");
  refuses(kTensors, 5, kNodes, 3, "npu-eyeriss", "has an architecture");
  refuses(kTensors, 5, kNodes, 3, NULL, "error");
  inlay_problem* problem = inlay_problem_new(kTensors, 5, kNodes, 3, "onsram", 1, &error);
  check(problem != NULL, "a built-in machine");
  if (problem != NULL) {
    inlay_plan_free(inlay_plan_make(problem, NULL, NULL));
    check(inlay_plan_make(problem, &options, &error) == NULL, "wrong options");
    check(error != NULL && strstr(error, "no strategy 'best'") != NULL &&
              strstr(error, "no objective 'joy'") != NULL,
          "both are named");
  }
  inlay_string_free(error);
  inlay_problem_free(problem);
  inlay_string_free(NULL);
  if (failures == 0) puts("all good");
  return failures == 0 ? 0 : 1;
}
