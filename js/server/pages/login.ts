// The page with which people log in. The token becomes a cookie that scripts cannot read.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access } from "../protocol/access.ts";
import { html, redirect } from "./content.ts";
import { loginDocument } from "./debugger-pages.ts";

/** Sends the page. */
export function loginPage(response: ServerResponse, isWrong = false): void {
  html(response, loginDocument(isWrong), 401);
}

/** Answers the form of the page: with a cookie, or with the page again. Returns whether the token was right. */
export async function login(
  access: Access,
  request: IncomingMessage,
  response: ServerResponse,
  body: () => Promise<Uint8Array>,
): Promise<boolean> {
  if (request.method !== "POST") {
    loginPage(response);
    return true;
  }
  const token = new URLSearchParams(new TextDecoder().decode(await body())).get("token") ?? "";
  const cookie = access.cookieFor(token.trim());
  if (cookie === undefined) {
    loginPage(response, true);
    return false;
  }
  // Behind a proxy with TLS, the browser must not send the cookie without it.
  response.setHeader("set-cookie", request.headers["x-forwarded-proto"] === "https" ? `${cookie}; Secure` : cookie);
  redirect(response, "/debugger/", 303);
  return true;
}
