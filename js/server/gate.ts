// Who may speak to the server: programs may, pages of other sites may not.
//
// A server on the loopback is in reach of every page that its user opens. Such a page's requests carry an Origin, or say
// by Sec-Fetch-Site that they come from elsewhere; a page that has its own name resolve to 127.0.0.1 (DNS rebinding)
// betrays itself by that name in Host. Programs send none of these, and reach the API under any name.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** What is to be done with a request: refuse it for a reason, or serve it; an allowed origin other than the own one has to be told so. */
export interface Judgement {
  refused?: string;
  origin?: string;
}

/** Decides about requests. */
export class Gate {
  readonly #origins: Set<string>;
  readonly #hosts: Set<string>;

  /** `origins` are allowed besides the server's own, `"*"` for all; `hosts` are names under which pages may reach it. */
  constructor({ origins = [], hosts = [] }: { origins?: readonly string[]; hosts?: readonly string[] }) {
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  /** Decides about a request. */
  judge({ method, headers }: Pick<IncomingMessage, "method" | "headers">): Judgement {
    const origin = headers.origin;
    if (origin !== undefined) {
      const given = origin.toLowerCase();
      if (this.#origins.has("*") || this.#origins.has(given)) return { origin };
      if (this.#isOwn(given, headers.host)) return {};
      return { refused: `the origin ${shown(origin)} is not allowed: start the server with --allow-origin to allow it` };
    }
    const site = headers["sec-fetch-site"];
    const navigation = method === "GET" && headers["sec-fetch-mode"] === "navigate";
    if ((site === "cross-site" || site === "same-site") && !navigation) return { refused: "requests from pages of other sites are not allowed" };
    if ((method === "GET" || method === "HEAD" || site !== undefined) && !this.#isTrusted(headers.host)) {
      return { refused: `pages are not served under the name ${shown(headers.host ?? "")}: start the server with --allow-host to allow it` };
    }
    return {};
  }

  #isOwn(origin: string, host: string | undefined): boolean {
    if (host === undefined || !this.#isTrusted(host)) return false;
    return origin === `http://${host.toLowerCase()}` || origin === `https://${host.toLowerCase()}`;
  }

  /** An address, a name of the loopback, or a name that was allowed: none that somebody else's DNS answers for. */
  #isTrusted(host: string | undefined): boolean {
    if (host === undefined) return false;
    const name = host.toLowerCase().replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
    const bare = name.replace(/^sync-/, "");
    return isIP(bare) !== 0 || bare === "localhost" || bare.endsWith(".localhost") || this.#hosts.has(name) || this.#hosts.has(bare);
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
