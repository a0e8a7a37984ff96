// The link to the last run of the machine on the page, which this browser has stored and a reload has removed from the screen.

import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { executions, refresh, view } from "../exchange/executions.ts";
import { isOfPage } from "../exchange/unfinished.ts";
import { outcomeWord } from "../model/log.ts";
import { Icon } from "../ui/Icon.tsx";

export function KeptRun() {
  useEffect(() => void refresh(), []);
  const last = useComputed(() => executions.value?.find((one) => one.status !== "RUNNING" && isOfPage(one))).value;
  if (!last) return null;
  return (
    <section class="strip recorded" aria-label="The last run">
      <Icon name="replay" />
      <span class="recorded-words">
        The last run of this machine, on {new Date(last.started).toLocaleString()}: {outcomeWord(last.status).toLowerCase()}.
      </span>
      <button type="button" onClick={() => void view(last.id)}>
        Show it
      </button>
    </section>
  );
}
