// Searches integrations. Every word of a query must begin a word of an integration, and weights determine the order.

// Other programs than that of js see the types of the tables only by this reference.
// oxlint-disable-next-line typescript/triple-slash-reference
/// <reference path="./tables/tables.d.ts" />
import type { Integration, SearchOptions } from "../api/integrations.d.ts";
import { misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { shown } from "../base/shown.ts";
import { Catalogue, type Entry } from "./catalogue.ts";

/** Words by which a service is found in addition to its own names. */
const ALIASES: Readonly<Record<string, string>> = {
  apigateway: "api gateway rest",
  "aws-sdk:acm": "certificate tls",
  "aws-sdk:bedrockruntime": "ai model llm",
  "aws-sdk:cloudwatch": "metric alarm",
  "aws-sdk:cloudwatchlogs": "log logs",
  "aws-sdk:cognitoidentityprovider": "user pool login",
  "aws-sdk:ec2": "instance vm virtual machine",
  "aws-sdk:ecr": "container image registry",
  "aws-sdk:eventbridge": "events event bus rule",
  "aws-sdk:firehose": "stream delivery",
  "aws-sdk:iam": "role policy user permission",
  "aws-sdk:kinesis": "stream",
  "aws-sdk:kms": "key encryption",
  "aws-sdk:rds": "database sql",
  "aws-sdk:rdsdata": "database sql aurora",
  "aws-sdk:route53": "dns domain",
  "aws-sdk:s3": "bucket file object storage",
  "aws-sdk:scheduler": "eventbridge cron schedule",
  "aws-sdk:secretsmanager": "secret secrets password",
  "aws-sdk:ses": "email mail",
  "aws-sdk:sesv2": "email mail",
  "aws-sdk:sfn": "step functions states stepfunctions execution",
  "aws-sdk:ssm": "parameter store systems manager",
  "aws-sdk:textract": "ocr document",
  batch: "job",
  bedrock: "ai model llm",
  codebuild: "build ci",
  databrew: "glue data",
  dynamodb: "table database nosql item",
  ecs: "container fargate task docker",
  eks: "kubernetes k8s",
  elasticmapreduce: "emr spark hadoop cluster",
  "emr-containers": "emrcontainers spark kubernetes",
  "emr-serverless": "emrserverless spark",
  events: "eventbridge event bus",
  glue: "etl spark",
  http: "https api endpoint third party webhook rest request call",
  lambda: "function",
  mediaconvert: "video transcode",
  sagemaker: "ai ml machine learning model",
  sns: "topic notification message sms",
  sqs: "queue message",
  states: "step functions sfn stepfunctions execution child state machine workflow",
};

/** The services that tasks call most. They come first if the words alone do not decide. */
const COMMON =
  `lambda dynamodb sqs sns states events ecs batch glue http athena aws-sdk:s3 aws-sdk:sfn aws-sdk:dynamodb aws-sdk:secretsmanager
  aws-sdk:ssm aws-sdk:ec2 aws-sdk:rds aws-sdk:lambda aws-sdk:sqs aws-sdk:sns aws-sdk:eventbridge aws-sdk:sesv2`.split(/\s+/);

/** The words of an integration that can be found. */
interface Findable {
  entry: Entry;
  service: Words;
  action: Words;
  aliases: readonly string[];
  common: number;
}

/** Words in lower case, separately and joined. */
interface Words {
  words: readonly string[];
  joined: string;
}

let loading: Promise<Catalogue> | undefined;
let completing: Promise<void> | undefined;
let findable: readonly Findable[] | undefined;

/** Loads the catalogue; with `optional`, also the optional parameters. A table is loaded once, and again after a failure. */
export async function catalogue(optional: boolean): Promise<Catalogue> {
  loading ??= import("./tables/actions.json.gz").then(
    ({ default: actions }) => new Catalogue(actions),
    (problem: unknown) => {
      loading = undefined;
      throw problem;
    },
  );
  const more = optional ? import("./tables/parameters.json.gz") : undefined;
  // Both tables are requested at once. The line after the next reports a failure.
  more?.catch(() => {});
  const loaded = await loading;
  if (more === undefined || loaded.complete) return loaded;
  completing ??= more.then(
    ({ default: parameters }) => loaded.complement(parameters),
    (problem: unknown) => {
      completing = undefined;
      throw problem;
    },
  );
  await completing;
  return loaded;
}

/** Returns the integrations that match the words, the best match first. */
export async function searchIntegrations(query: string, options: SearchOptions = {}): Promise<Integration[]> {
  if (typeof query !== "string") throw misuse("INVALID_ARGUMENT", `searchIntegrations() takes words as a string, not ${shown(query)}`);
  checkOptions(options, ["limit", "optional"], "searchIntegrations()");
  const { limit = 20, optional = true } = options;
  if (!Number.isInteger(limit) || limit < 0)
    throw misuse("INVALID_OPTION", `searchIntegrations(): limit must be a whole number, not ${shown(limit)}`);
  const loaded = await catalogue(optional);
  return ranked(loaded, query)
    .slice(0, limit)
    .map((entry) => loaded.integration(entry, optional));
}

/** Returns the integration of a Resource. */
export async function integrationOf(resource: string): Promise<Integration | undefined> {
  return RESOURCE.test(resource) ? integrationIn(await catalogue(true), resource) : undefined;
}

const RESOURCE = /^arn:[^:]*:states:[^:]*:[^:]*:((?:aws-sdk:)?[\w-]+):(\w+)(?:\.sync(?::2)?|\.waitForTaskToken)?$/;

/** Returns the integration of a Resource from a loaded catalogue. */
export function integrationIn(loaded: Catalogue, resource: string): Integration | undefined {
  const [, service, action] = RESOURCE.exec(resource) ?? [];
  const entry = loaded.entries.find((entry) => entry.service === service && entry.action === action);
  return entry && loaded.integration(entry, true);
}

/** Returns the integrations that match a query, the best first. */
export function ranked(loaded: Catalogue, query: string): Entry[] {
  const tokens = tokensOf(query);
  const found: { entry: Entry; score: number; place: number }[] = [];
  for (const [place, one] of (findable ??= loaded.entries.map(described)).entries()) {
    const score = scoreOf(one, tokens);
    if (score !== undefined) found.push({ entry: one.entry, score, place });
  }
  // Optimized integrations come first in the catalogue.
  return found.sort((a, b) => b.score - a.score || a.place - b.place).map(({ entry }) => entry);
}

/** Returns the words of a query, or of a Resource. */
function tokensOf(query: string): string[] {
  return query
    .trim()
    .replace(/^arn:[^:]*:states:[^:]*:[^:]*:/, "")
    .toLowerCase()
    .replace(/\.?waitfortasktoken$/, " token")
    .replace(/sync:2$/, "sync")
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== "");
}

function described(entry: Entry): Findable {
  const service = entry.service.replace("aws-sdk:", "");
  const at = COMMON.indexOf(entry.service);
  return {
    entry,
    service: { words: [...new Set([service, ...wordsOf(entry.title), ...service.split("-")])], joined: service.replaceAll("-", "") },
    action: { words: wordsOf(entry.action), joined: entry.action.toLowerCase() },
    aliases: (ALIASES[entry.service] ?? "").split(" "),
    common: at < 0 ? 0 : 2 - at / COMMON.length,
  };
}

/** Splits a name: `describeDBInstances` is describe, db, instances; `ECS` is ecs. */
function wordsOf(text: string): string[] {
  return (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

/** Returns how well an integration matches the words. Undefined if one of them matches nothing. */
function scoreOf({ entry, service, action, aliases, common }: Findable, tokens: readonly string[]): number | undefined {
  if (tokens.length === 0) return entry.optimized ? common : undefined;
  let score = common + (entry.optimized ? 4 : 0);
  for (const token of tokens) {
    const scores = [serviceScore(service, aliases, token), actionScore(action, token), patternScore(entry, token)];
    const best = Math.max(...scores);
    if (best === 0) return undefined;
    // A word may match in several ways: "parameter" is what SSM is for, and what getParameter returns.
    score += best + (scores.reduce((sum, one) => sum + one, 0) - best) / 2;
  }
  // The fewer words of the action are not in the query, the better it matches.
  return score - Math.max(0, action.words.length - tokens.length) / 2 - action.joined.length / 100;
}

function serviceScore({ words, joined }: Words, aliases: readonly string[], token: string): number {
  if (joined === token || words[0] === token) return 14;
  if (words.includes(token)) return 11;
  if (aliases.includes(token)) return 10;
  if (joined.startsWith(token) || words.some((word) => word.startsWith(token))) return 6;
  return aliases.some((alias) => alias.startsWith(token)) ? 5 : 0;
}

function actionScore({ words, joined }: Words, token: string): number {
  if (joined === token) return 14;
  const at = words.findIndex((word) => word === token || word === `${token}s`);
  if (at >= 0) return 9 - Math.min(at, 3) / 2;
  if (joined.startsWith(token)) return 7;
  const begins = words.findIndex((word) => word.startsWith(token));
  return begins < 0 ? 0 : 5 - Math.min(begins, 3) / 2;
}

/** Scores the words for patterns: `sync`, `token` and `wait`, and `aws` and `sdk` for the integrations of the AWS SDK. */
function patternScore({ optimized }: Entry, token: string): number {
  const has = (pattern: "sync" | "waitForTaskToken") =>
    optimized === undefined ? pattern !== "sync" : optimized.patterns.includes(pattern);
  if (token === "sync") return has("sync") ? 4 : 0;
  if (token === "token" || token === "wait" || token === "callback") return has("waitForTaskToken") ? 4 : 0;
  if (token === "aws") return 1;
  return token === "sdk" && optimized === undefined ? 10 : 0;
}
