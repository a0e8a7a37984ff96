// The kinds of Resources that a Task can have.

/** What a service integration waits for after the service's response to the request. */
export type Pattern = "" | "sync" | "sync:2" | "waitForTaskToken";

/** A Lambda function. */
interface LambdaResource {
  kind: "lambda";
  /** The name of the function. */
  name: string;
  pattern: "";
}

/** An activity. */
interface ActivityResource {
  kind: "activity";
  name: string;
  arn: string;
  pattern: "";
}

/** A service integration. */
interface ServiceResource {
  kind: "service";
  /** The service and the action: "sqs:sendMessage". */
  name: string;
  /** The service and the action, with the suffix of the pattern. */
  full: string;
  pattern: Pattern;
}

/** A task that a Runtime of `stepglass/durable` runs itself. */
interface RuntimeResource {
  kind: "runtime";
  name: string;
  pattern: "";
}

/** Any other Resource. */
interface OtherResource {
  kind: "other";
  name: undefined;
  pattern: "";
}

/** The parts of a Resource. */
export type Resource = LambdaResource | ActivityResource | ServiceResource | RuntimeResource | OtherResource;
