import { setting } from "../setting.ts";
import { list } from "../values.ts";

const CONFIG_TREE = /^(?:optional:)?configtree:./;

/** Further sources of settings. */
export const sourceSettings = {
  "spring.config.import": setting(
    list("folders (`configtree:/run/secrets/`, `optional:configtree:/run/secrets/`)", CONFIG_TREE),
    "",
    "Folders whose files are settings, see above.",
  ),
};
