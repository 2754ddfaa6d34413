import { access } from "./manifest/access.ts";
import { conventions } from "./manifest/conventions.ts";
import { description, openApiVersion } from "./manifest/description.ts";
import { endpoints } from "./manifest/endpoints.ts";
import { errorsAndLimits } from "./manifest/errors.ts";
import { fixResources } from "./manifest/fix-resources.ts";
import { moreEndpoints } from "./manifest/more-endpoints.ts";
import { assemble } from "./manifest/requirement.ts";
import { resources } from "./manifest/resources.ts";
import { states } from "./manifest/states.ts";

/** Every testable statement of the specification, by id. A test cites the id; `coverage.test.ts` compares the two. */
export const requirements = assemble(
  conventions,
  resources,
  fixResources,
  states,
  endpoints,
  moreEndpoints,
  description,
  openApiVersion,
  access,
  errorsAndLimits,
);

export type RequirementId = keyof typeof requirements;
