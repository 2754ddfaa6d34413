import type { Run } from "../command/definition.ts";
import { write } from "../output/print.ts";

/** Shells for which there is a completion. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

type Shell = (typeof SHELLS)[number];

/**
 * The scripts ask the command itself what may stand at the cursor, so they know every command and the names of the live
 * installation. Standard input is closed: nothing may ask for a password behind a prompt.
 */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of trading-admin for bash: eval "$(trading-admin completion bash)"
_trading_admin() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    printf -v word '%q' "\${line%%$'\\t'*}"
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" completion candidates -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -o default -F _trading_admin trading-admin
`,
  zsh: `#compdef trading-admin
# Completion of trading-admin for zsh: source <(trading-admin completion zsh)
_trading_admin() {
  local line
  local -a names shown
  for line in "\${(@f)$(\${words[1]} completion candidates -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    [[ -z $line ]] && continue
    names+=("\${line%%$'\\t'*}")
    shown+=("\${line%%$'\\t'*}  \${line#*$'\\t'}")
  done
  if (( \${#names} )); then compadd -l -d shown -a names; else _files; fi
}
compdef _trading_admin trading-admin
`,
  fish: `# Completion of trading-admin for fish: trading-admin completion fish | source
function __trading_admin_candidates
  set -l typed (commandline -opc)
  trading-admin completion candidates -- $typed[2..-1] (commandline -ct) 2>/dev/null </dev/null
end
complete -c trading-admin -a '(__trading_admin_candidates)'
`,
};

/** `completion bash | zsh | fish`: the script that the shell loads. */
export const run: Run = async ({ path }) => {
  write(SCRIPTS[path.at(-1) as Shell]);
  return undefined;
};
