// The table of views: what shows the results of which command.
import type {Child} from "../dom";
import type {
  AllocResult,
  BatchResult,
  CodesignResult,
  EvalResult,
  FuseResult,
  FusedEvalResult,
  Header,
  Item,
  MapResult,
  MapspaceResult,
  PlanResult,
  StudyResult,
  SystolicResult,
} from "../types";
import {allocTitle, allocView} from "./alloc";
import {batchTitle, batchView} from "./batch";
import {codesignTitle, codesignView} from "./codesign";
import {evalTitle, evalView} from "./eval";
import {fuseTitle, fuseView} from "./fuse";
import {fusedTitle, fusedView} from "./fused";
import {mapTitle, mapView} from "./map";
import {mapspaceTitle, mapspaceView} from "./mapspace";
import {otherTitle, otherView} from "./other";
import {planTitle, planView} from "./plan";
import {studyTitle, studyView} from "./study";
import {systolicTitle, systolicView} from "./systolic";

export interface View {
  title: string;
  body: () => Child[];
}

export function viewOf(item: Item): View {
  if (Array.isArray(item.result)) {
    const results = item.result;
    return {title: evalTitle(results), body: () => evalView(results)};
  }
  const result: Header = item.result;
  switch (result.command) {
    case "eval":
    case "walk":
      if ("tree" in result)
        return {
          title: fusedTitle(result as FusedEvalResult),
          body: () => fusedView(result as FusedEvalResult),
        };
      return {title: evalTitle([result as EvalResult]), body: () => evalView([result as EvalResult])};
    case "map":
      return {title: mapTitle(result as MapResult), body: () => mapView(result as MapResult)};
    case "codesign":
      return {
        title: codesignTitle(result as CodesignResult),
        body: () => codesignView(result as CodesignResult),
      };
    case "plan":
      return {title: planTitle(result as PlanResult), body: () => planView(result as PlanResult)};
    case "fuse":
      return {title: fuseTitle(result as FuseResult), body: () => fuseView(result as FuseResult)};
    case "alloc":
      return {title: allocTitle(result as AllocResult), body: () => allocView(result as AllocResult)};
    case "batch":
      return {
        title: batchTitle(result as BatchResult),
        body: () => batchView(result as BatchResult, item.trace),
      };
    case "study":
      return {title: studyTitle(result as StudyResult), body: () => studyView(result as StudyResult)};
    case "systolic":
      return {
        title: systolicTitle(result as SystolicResult),
        body: () => systolicView(result as SystolicResult),
      };
    case "mapspace":
      return {
        title: mapspaceTitle(result as MapspaceResult),
        body: () => mapspaceView(result as MapspaceResult),
      };
    default:
      return {title: otherTitle(result), body: () => otherView(result)};
  }
}
