// The clients of the AWS SDK, from packages that the user has installed. They are loaded when first needed.

import { TaskError, codeOf, messageOf } from "../core/base/errors.ts";
import type { AwsCredentials } from "../core/api/aws.d.ts";
import type { Schema } from "./shapes.ts";
import type { Settings } from "./settings.ts";

/** The exports of an SDK package that are used here. */
interface ClientModule {
  readonly [name: string]: unknown;
}

/** The configuration of a client. */
interface ClientConfig {
  readonly serviceId?: string;
  readonly region?: () => Promise<string>;
  readonly credentials?: () => Promise<AwsCredentials>;
}

/** A client of the SDK. */
interface SdkClient {
  readonly config: ClientConfig;
  send(command: SdkCommand, options: { abortSignal?: AbortSignal }): Promise<Record<string, unknown>>;
}

/** An operation of the SDK with its input. */
interface SdkCommand {
  readonly schema?: Schema;
  readonly middlewareStack: { add(middleware: Middleware, options: object): void };
}

type Handler = (args: unknown) => Promise<{ response?: unknown }>;
type Middleware = (next: Handler) => Handler;

/** Metadata of an HTTP response. */
export interface HttpResponse {
  status: number;
  /** Header names are spelled as the service sent them. */
  headers: [name: string, value: string][];
}

/** A service's client. */
export class ServiceClient {
  /** The package's name. */
  readonly package: string;
  readonly #module: ClientModule;
  readonly #client: SdkClient;

  constructor(name: string, module: ClientModule, client: SdkClient) {
    this.package = name;
    this.#module = module;
    this.#client = client;
  }

  /** The service's name in its model: "DynamoDB", "Secrets Manager". */
  get serviceId(): string {
    return this.#client.config.serviceId ?? "";
  }

  /** Returns whether the service's model has an error of this name. */
  hasError(name: string): boolean {
    return typeof this.#module[name] === "function";
  }

  /** Returns the class of an operation's command; the case of its name does not matter. Undefined if the service has none. */
  command(action: string): (new (input: object) => SdkCommand) | undefined {
    const name = `${action}Command`.toLowerCase();
    const found = Object.keys(this.#module).find((key) => key.toLowerCase() === name);
    return found === undefined ? undefined : (this.#module[found] as new (input: object) => SdkCommand);
  }

  /** Sends a command. `http.response` is set to the metadata of the response. */
  async send(command: SdkCommand, http: { response?: HttpResponse }, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
    const middleware: Middleware = (next) => async (args) => {
      const result = await next(args);
      http.response = httpResponse(result.response);
      return result;
    };
    // This step is nearest to the network. Later steps read the body.
    command.middlewareStack.add(middleware, { step: "deserialize", priority: "low", name: "stepglassResponse" });
    return this.#client.send(command, signal === undefined ? {} : { abortSignal: signal });
  }

  /** Returns the texts that must not appear in results: the client's credentials. */
  async secrets(): Promise<string[]> {
    try {
      const credentials = await this.#client.config.credentials?.();
      return [credentials?.secretAccessKey, credentials?.sessionToken, credentials?.accessKeyId].filter((text) => text !== undefined);
    } catch {
      return []; // The client has no credentials.
    }
  }
}

function httpResponse(given: unknown): HttpResponse {
  const {
    statusCode = 0,
    headers = {},
    body,
  } = (given ?? {}) as {
    statusCode?: number;
    headers?: Record<string, string>;
    body?: { rawHeaders?: string[] };
  };
  const raw = body?.rawHeaders;
  if (raw === undefined) return { status: statusCode, headers: Object.entries(headers) };
  return { status: statusCode, headers: raw.flatMap((name, i): [string, string][] => (i % 2 === 0 ? [[name, raw[i + 1] ?? ""]] : [])) };
}

/** Credentials that emulators accept. */
const EMULATED: AwsCredentials = { accessKeyId: "test", secretAccessKey: "test" };

/** The clients of one `awsTasks()`: one for each service and role. */
export class Clients {
  readonly settings: Settings;
  readonly #clients = new Map<string, Promise<ServiceClient>>();

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Returns the client of a service, by its package. `role` is the role of the state's Credentials. */
  get(client: string, role?: string): Promise<ServiceClient> {
    const key = role === undefined ? client : `${client} ${role}`;
    let made = this.#clients.get(key);
    if (made === undefined) {
      made = this.#make(client, role);
      this.#clients.set(key, made);
      // The package may be installed later, so a failure is not remembered.
      made.catch(() => this.#clients.delete(key));
    }
    return made;
  }

  /** Returns the endpoint of a service; undefined for AWS itself. */
  endpointOf(client: string): string | undefined {
    return this.settings.endpoints.get(client) ?? this.settings.endpoint;
  }

  /** Returns the region of calls; undefined if the SDK has to find it. */
  regionOf(client: string): string | undefined {
    const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    const given = this.settings.region || AWS_REGION || AWS_DEFAULT_REGION;
    return given || (this.endpointOf(client) === undefined ? undefined : "us-east-1");
  }

  /** Loads a package of the SDK. Throws a TaskError that says how to install it. */
  async load(name: string): Promise<ClientModule> {
    try {
      return (await this.settings.load(name)) as ClientModule;
    } catch (error) {
      if (!["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"].includes(String(codeOf(error))) || !messageOf(error).includes(name)) throw error;
      throw new TaskError("States.Runtime", `${name} is not installed in this project: npm install ${name}`);
    }
  }

  /** Returns the credentials and the region for requests that no SDK client sends. */
  async signing(client: string): Promise<{ credentials: AwsCredentials; region: string }> {
    const { credentials = await this.#found() } = this.settings;
    return {
      credentials: typeof credentials === "function" ? await credentials() : credentials,
      region: this.regionOf(client) ?? "us-east-1",
    };
  }

  /** The credentials that the SDK finds, with a package that every client depends on. */
  async #found(): Promise<() => Promise<AwsCredentials>> {
    const { defaultProvider } = await this.load("@aws-sdk/credential-provider-node");
    return (defaultProvider as () => () => Promise<AwsCredentials>)();
  }

  async #make(client: string, role: string | undefined): Promise<ServiceClient> {
    const name = `@aws-sdk/client-${client}`;
    const module = await this.load(name);
    const made = Object.entries(module).find(
      ([key, value]) => /^[A-Z]\w*Client$/.test(key) && key !== "Client" && typeof value === "function",
    );
    if (made === undefined) throw new TaskError("States.Runtime", `${name} exports no client`);
    const Client = made[1] as new (config: object) => SdkClient;
    return new ServiceClient(name, module, new Client(this.#config(client, role)));
  }

  #config(client: string, role: string | undefined): object {
    const endpoint = this.endpointOf(client);
    const region = this.regionOf(client);
    const credentials = role === undefined ? this.#credentials(endpoint) : () => this.#assumed(role);
    return {
      ...(region !== undefined && { region }),
      // Without this setting the SDK asks S3 for a checksum, which Step Functions does not do (recorded for s3:getObject).
      ...(client === "s3" && { responseChecksumValidation: "WHEN_REQUIRED" }),
      ...(credentials !== undefined && { credentials }),
      ...(endpoint !== undefined && { endpoint, disableHostPrefix: true, useQueueUrlAsEndpoint: false, forcePathStyle: true }),
    };
  }

  /** The configured credentials. Without them, an emulator gets fixed ones, and for AWS the SDK finds them. */
  #credentials(endpoint: string | undefined): Settings["credentials"] {
    const { credentials } = this.settings;
    if (credentials !== undefined || endpoint === undefined) return credentials;
    const { AWS_ACCESS_KEY_ID, AWS_PROFILE } = process.env;
    return AWS_ACCESS_KEY_ID || AWS_PROFILE || /\.amazonaws\.com(\.cn)?$/.test(new URL(endpoint).hostname) ? undefined : EMULATED;
  }

  /** The credentials of a role. */
  async #assumed(role: string): Promise<AwsCredentials> {
    const sts = await this.get("sts");
    const Command = sts.command("assumeRole");
    if (Command === undefined) throw new TaskError("States.Runtime", `${sts.package} has no AssumeRole`);
    const answer = await sts.send(new Command({ RoleArn: role, RoleSessionName: "stepglass" }), {}, undefined);
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer.Credentials as Record<string, string> & { Expiration?: Date };
    return {
      accessKeyId: AccessKeyId ?? "",
      secretAccessKey: SecretAccessKey ?? "",
      ...(SessionToken !== undefined && { sessionToken: SessionToken }),
      ...(Expiration !== undefined && { expiration: Expiration }),
    };
  }
}
