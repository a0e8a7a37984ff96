// The service models with which TestState checks mocks.

import type { ServiceModels } from "../../core/api/index.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { findServiceModels } from "../../language/files/models.ts";
import type { Log } from "../protocol/log.ts";

/** Returns a function that returns the models of the option. Installed models are searched for at the first call. */
export function modelsOf(given: ServiceModels | string | undefined, log: Log): () => ServiceModels | undefined {
  if (typeof given === "string" && given !== "installed")
    throw misuse("INVALID_OPTION", `serviceModel must be models or "installed", not ${JSON.stringify(given)}`);
  if (typeof given !== "string") return () => given;
  let found: { models: ServiceModels | undefined } | undefined;
  return () => {
    if (found === undefined) {
      const models = findServiceModels();
      found = { models };
      log("info", () =>
        models === undefined
          ? "TestState does not check mocks: no AWS service models were found (install the AWS CLI or botocore)"
          : `TestState checks mocks against the models of ${models.package} in ${models.folder}`,
      );
    }
    return found.models;
  };
}
