import type { AdminError } from "../core/errors.ts";
import type { HttpResponse } from "./message.ts";

/** What a response says of its command (decision D-ENG 16). */
type ToldOutcome = "applied" | "not-applied" | "unknown";

/** The response with what became of its command in `X-Admin-Outcome`; `error` is what the command failed with. */
export function tellingOutcome(response: HttpResponse, error: AdminError | undefined): HttpResponse {
  const outcome = error ? toldOf(error) : unfailed(response);
  return { ...response, headers: { ...response.headers, "X-Admin-Outcome": outcome } };
}

/** All that is neither applied nor unknown was refused on its way, or by the engine. */
function toldOf({ outcome }: AdminError): ToldOutcome {
  return outcome === "applied" || outcome === "unknown" ? outcome : "not-applied";
}

/** A caller who is not let in gets a response without a failure. */
function unfailed({ status }: HttpResponse): ToldOutcome {
  return status === 200 ? "applied" : "not-applied";
}
