import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { suggestion } from "../suggestion.ts";
import type { OperationInput } from "./input.ts";

const NOT_FOUND = 404;

/** What was perhaps meant by a service, gateway or session that there is not: `; did you mean "SIM"?`, or nothing. */
export async function meantName(client: AdminClient, input: OperationInput, error: AdminClientError): Promise<string> {
  if (error.status !== NOT_FOUND) return "";
  try {
    return await meant(client, input);
  } catch (failure) {
    // The hint is a courtesy; what was wrong is said without it.
    if (failure instanceof AdminClientError) return "";
    throw failure;
  }
}

async function meant(client: AdminClient, { name, gateway, session }: OperationInput): Promise<string> {
  if (typeof name === "string") {
    const services = await client.listServices();
    return suggestion(
      name,
      services.map((service) => service.name),
    );
  }
  if (typeof gateway !== "string") return "";
  const gateways = (await client.listFixGateways()).map(({ gatewayName }) => gatewayName);
  if (!gateways.includes(gateway)) return suggestion(gateway, gateways);
  const sessions = (await client.listFixSessions({ gateway })).map(({ sessionId }) => sessionId);
  return typeof session === "string" ? suggestion(session, sessions) : "";
}
