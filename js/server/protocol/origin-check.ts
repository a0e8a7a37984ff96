// The origin check: lets programs call the server, but not pages of other sites.
//
// Every page that the user opens can send requests to a server on the loopback. Such requests have an Origin, or Sec-Fetch-Site
// says that they come from another site. If a page's own name resolves to 127.0.0.1 (DNS rebinding), that name is in Host.
// Programs send neither Origin nor Sec-Fetch-Site, and reach the API under any name.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The result of a check: the reason for a refusal, or the foreign origin that is allowed and must be named in the response. */
interface OriginDecision {
  refused?: string;
  origin?: string;
}

export class OriginCheck {
  readonly #origins: Set<string>;
  readonly #hosts: Set<string>;

  /**
   * `origins` are allowed besides the server's own; `"*"` allows all. `hosts` are the names under which pages may reach the server.
   */
  constructor({ origins = [], hosts = [] }: { origins?: readonly string[]; hosts?: readonly string[] }) {
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  check({ method, headers }: Pick<IncomingMessage, "method" | "headers">): OriginDecision {
    const origin = headers.origin;
    if (origin !== undefined) {
      const given = origin.toLowerCase();
      if (this.#origins.has("*") || this.#origins.has(given)) return { origin };
      if (this.#isOwn(given, headers.host)) return {};
      return { refused: `the origin ${shown(origin)} is not allowed: start the server with --allow-origin to allow it` };
    }
    const site = headers["sec-fetch-site"];
    const navigation = method === "GET" && headers["sec-fetch-mode"] === "navigate";
    if ((site === "cross-site" || site === "same-site") && !navigation)
      return { refused: "requests from pages of other sites are not allowed" };
    if ((method === "GET" || method === "HEAD" || site !== undefined) && !this.#isTrusted(headers.host)) {
      return {
        refused: `pages are not served under the name ${shown(headers.host ?? "")}: start the server with --allow-host to allow it`,
      };
    }
    return {};
  }

  #isOwn(origin: string, host: string | undefined): boolean {
    if (host === undefined || !this.#isTrusted(host)) return false;
    return origin === `http://${host.toLowerCase()}` || origin === `https://${host.toLowerCase()}`;
  }

  /** Returns whether a host is an address, a loopback name or an allowed name. No foreign DNS server can resolve such a name. */
  #isTrusted(host: string | undefined): boolean {
    if (host === undefined) return false;
    const name = host
      .toLowerCase()
      .replace(/:\d+$/, "")
      .replace(/^\[(.*)\]$/, "$1");
    const bare = name.replace(/^sync-/, "");
    return isIP(bare) !== 0 || bare === "localhost" || bare.endsWith(".localhost") || this.#hosts.has(name) || this.#hosts.has(bare);
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
