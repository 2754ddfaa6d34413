import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { NO_SUCH_PATH } from "../../core/conventions.ts";
import { didYouMeanOneOf } from "../../core/values/near-names.ts";
import type { OperationInput } from "./input.ts";

const BAD_REQUEST = 400;
const NOT_FOUND = 404;

/**
 * Suggestion for a service, gateway or session that does not exist, or for a path or projection that is not understood:
 * `; did you mean "SIM"?`, or nothing.
 */
export async function meantName(client: AdminClient, input: OperationInput, error: AdminClientError): Promise<string> {
  const { status, reason } = error;
  if (status !== NOT_FOUND && status !== BAD_REQUEST) return "";
  if (reason === NO_SUCH_PATH) return ofLostPath(input);
  try {
    return await (status === NOT_FOUND ? meant(client, input) : meantPlace(client, input, reason));
  } catch (failure) {
    // The hint is a courtesy; the message is complete without it.
    if (failure instanceof AdminClientError) return "";
    throw failure;
  }
}

async function meantPlace(client: AdminClient, input: OperationInput, reason: string): Promise<string> {
  const { projectionPath, projection } = input;
  if (reason.startsWith("projectionPath: ") && typeof projectionPath === "string") {
    return (await import("./meant-path.ts")).meantPath(client, projectionPath);
  }
  if (!reason.startsWith("projection: unknown") || typeof projection !== "string") return "";
  return (await import("./meant-path.ts")).meantProjection(projection);
}

/** A path that has arrived as another one. */
function ofLostPath({ name, gateway, session }: OperationInput): string {
  const hasSlash = [name, gateway, session].some((word) => typeof word === "string" && word.includes("/"));
  const cause = hasSlash ? "a proxy on the way seems to make / of %2F" : "the address may be that of something else";
  return `; ${cause}: trading-admin doctor says more`;
}

async function meant(client: AdminClient, { name, gateway, session }: OperationInput): Promise<string> {
  if (typeof name === "string") {
    const services = await client.listServices();
    return didYouMeanOneOf(
      name,
      services.map((service) => service.name),
    );
  }
  if (typeof gateway !== "string") return "";
  const gateways = (await client.listFixGateways()).map(({ gatewayName }) => gatewayName);
  if (!gateways.includes(gateway)) return didYouMeanOneOf(gateway, gateways);
  const sessions = (await client.listFixSessions({ gateway })).map(({ sessionId }) => sessionId);
  return typeof session === "string" ? didYouMeanOneOf(session, sessions) : "";
}
