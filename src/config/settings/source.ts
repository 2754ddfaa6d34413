import { setting } from "../setting.ts";
import { listOf, word } from "../values.ts";

const CONFIG_TREE = /^(?:optional:)?configtree:./;

/** Further sources of settings. */
export const sourceSettings = {
  "spring.config.import": setting(
    listOf("folders (`configtree:/run/secrets/`, `optional:configtree:/run/secrets/`)", CONFIG_TREE),
    "",
    "Folders whose files are settings, see above.",
  ),
  "admin.settings.prefix": setting(
    word("a first part of keys, such as `spring`", /^[A-Za-z][A-Za-z0-9-]*$/),
    "spring",
    "What this installation writes in place of `spring` in `spring.security.oauth2`; config trees cannot give it. The keys as " +
      "they are documented count too.",
  ),
};
