// Functions that analyze a definition without running it.

import * as module from "../../../dist/glue.js";
import { YAML_HELP, filledIn, problemsOf, renderProblems } from "./diagnose.ts";
import { looksLikeYaml } from "./yaml-like.ts";
import { call } from "../border/instance.ts";
import { seedOf } from "../base/random.ts";
import { argumentText } from "../tasks/integration.ts";
import { layoutOf, mermaidOf, svgOf } from "./plain.ts";
import { compileSettings, definitionText, withoutRange } from "./settings.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { solid, unmarked } from "./placeholders.ts";
import { codeOf, misuse } from "../base/errors.ts";
import type { Thrown } from "../base/errors.ts";
import type {
  Completions,
  Definition,
  Diagnostic,
  Graph,
  LayoutOptions,
  RenderOptions,
  ServiceModels,
  ServiceShape,
  SvgOptions,
  TestStateRequest,
  TestStateResponse,
  ValidateOptions,
} from "../api/index.d.ts";

/** Returns the version of this package. */
export function version(): string {
  return call(module.version);
}

/** Returns all problems of a definition. The array is empty if there are none. */
export function validate(definition: Definition, options: ValidateOptions = {}): Diagnostic[] {
  checkOptions(options, ["type", "jsonata", "substitutions"], "validate()");
  const text = definitionText(definition);
  const diagnostics = problemsOf(text, filledIn(text, options.substitutions), compileSettings(options), "warning");
  return typeof definition === "string" ? diagnostics : diagnostics.map(withoutRange);
}

/** Returns all problems of a text as AWS would find them: placeholders are not filled in. */
export function problemsAsSent(text: string, options: ValidateOptions): Diagnostic[] {
  return call(module.validate, text, compileSettings(options));
}

/** Returns all problems of a definition's text with excerpts, as a compiler prints them. The text is empty if there are none. */
export function renderDiagnostics(text: string, options: RenderOptions = {}): string {
  checkOptions(options, ["type", "jsonata", "substitutions", "fileName", "color", "source", "places"], "renderDiagnostics()");
  const { fileName = "definition", color = false, source, places = [] } = options;
  if (!Array.isArray(places)) throw misuse("INVALID_OPTION", `places must be an array of numbers, not ${shown(places)}`);
  if (source !== undefined) {
    return call(
      module.renderDiagnosticsIn,
      source,
      new Uint32Array(places),
      undefined,
      definitionText(text),
      fileName,
      compileSettings(options),
      color,
    );
  }
  const given = definitionText(text);
  return renderProblems(given, filledIn(given, options.substitutions), compileSettings(options), "warning", fileName, color);
}

/** Returns completions at an offset of a definition's text. */
export function complete(text: string, offset?: number): Completions {
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `complete() takes the text of a definition, not ${shown(text)}`);
  if (offset !== undefined && !Number.isInteger(offset))
    throw misuse("INVALID_ARGUMENT", `offset must be a whole number, not ${shown(offset)}`);
  return JSON.parse(call(module.complete, solid(unmarked(text)), offset ?? text.length));
}

/** Implements AWS's TestState: one state, one input, one mocked result. Throws an Error with the API's code if AWS would refuse. */
export function testState(request: TestStateRequest): TestStateResponse {
  if (typeof request !== "object" || request === null)
    throw misuse("INVALID_ARGUMENT", `testState() takes a request as an object, not ${shown(request)}`);
  const { definition } = request;
  if (typeof definition !== "string") return stateTested(request);
  try {
    return stateTested({ ...request, definition: unmarked(definition) });
  } catch (thrown) {
    throw codeOf(thrown) === "InvalidDefinition" ? withYamlHelp(thrown, definition) : thrown;
  }
}

/** Implements TestState with AWS's own request and messages. */
export function stateTested(request: TestStateRequest): TestStateResponse {
  const { serviceModel, seed, startTime = Date.now(), ...rest } = request;
  checkOptions({ startTime }, ["startTime"], "testState()");
  const shapeOf = responseShapes(serviceModel);
  // An exception of the caller's function must not unwind the module, so it is thrown again afterwards.
  const problems: Thrown[] = [];
  const model = (service: string, action: string) => {
    try {
      return JSON.stringify(shapeOf?.(service, action));
    } catch (value) {
      problems.push({ value });
      return undefined;
    }
  };
  const text = argumentText(rest, "the request");
  try {
    const response: TestStateResponse = JSON.parse(call(module.testState, text, seedOf(seed), startTime, shapeOf && model));
    if (problems.length === 0) return response;
  } catch (value) {
    problems.push({ value });
  }
  throw problems[0]?.value;
}

/** Returns the shape of a response by service and action: from a function, from models of AWS, or from shapes by action. */
function responseShapes(models: ServiceModels | undefined): ((service: string, action: string) => ServiceShape | undefined) | undefined {
  if (models === undefined || typeof models === "function") return models;
  if (typeof models !== "object" || models === null)
    throw misuse("INVALID_OPTION", "serviceModel must be a function or an object with a model for each service");
  return (service, action) => {
    const model = Object.hasOwn(models, service) ? models[service] : undefined;
    if (!isModel(model)) return model?.[action];
    const output = model.operations[action.charAt(0).toUpperCase() + action.slice(1)]?.output;
    return output && { ...output, shapes: model.shapes };
  };
}

/** The shapes of one service: by action, or AWS's own model. */
type Given = Exclude<ServiceModels, (service: string, action: string) => unknown>[string];

function isModel(model: Given | undefined): model is Extract<Given, { operations: unknown }> {
  return model?.operations !== undefined;
}

/** Returns the graph of a definition with positions and sizes. The definition may have errors, as long as it is JSON. */
export function layout(definition: Definition, options: LayoutOptions & { selectors?: boolean } = {}): Graph {
  checkOptions(options, ["direction", "collapsed", "foldLarge", "expanded", "selectors", "aspect", "breaks", "widths"], "layout()");
  return drawn(layoutOf, definition, options);
}

/** Returns the graph of a definition as an SVG document. */
export function renderSvg(definition: Definition, options: SvgOptions = {}): string {
  checkOptions(
    options,
    [
      "direction",
      "collapsed",
      "foldLarge",
      "expanded",
      "aspect",
      "breaks",
      "widths",
      "theme",
      "title",
      "background",
      "prefix",
      "status",
      "taken",
      "notes",
    ],
    "renderSvg()",
  );
  return drawn(svgOf, definition, options);
}

/** Returns the definition as the text of a Mermaid `stateDiagram-v2`. */
export function renderMermaid(definition: Definition, options: Pick<LayoutOptions, "direction"> = {}): string {
  checkOptions(options, ["direction"], "renderMermaid()");
  return drawn(mermaidOf, definition, options);
}

/** Draws a definition. Placeholders outside of strings count as values. For YAML, the error says how to parse it. */
function drawn<Options, Drawing>(draw: (text: string, options: Options) => Drawing, definition: Definition, options: Options): Drawing {
  const text = solid(definitionText(definition));
  try {
    return draw(text, options);
  } catch (thrown) {
    throw codeOf(thrown) === "NOT_JSON" ? withYamlHelp(thrown, text) : thrown;
  }
}

/** Returns the error about a text. If the text looks like YAML, the error says how to parse it. */
function withYamlHelp(thrown: unknown, text: string): unknown {
  if (thrown instanceof Error && looksLikeYaml(text)) thrown.message += `; ${YAML_HELP}`;
  return thrown;
}
