import type { Run } from "../framework/definition.ts";
import { write } from "../terminal/output.ts";

/**
 * By the shell that they are for. They ask the command itself what may stand at the cursor, so they know every command and the names of the live
 * installation. Standard input is closed: nothing may ask for a password behind a prompt.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of trading-admin for bash: eval "$(trading-admin completion bash)"
_trading_admin() {
  local line word found broken quote shown=\${COMP_LINE:0:COMP_POINT}
  local -a typed=()
  # bash takes words apart at : and =, as in http://127.0.0.1:8988; what follows without a blank belongs to the word before it.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    line=\${shown#"\${shown%%[![:blank:]]*}"}
    if [[ $line != "$shown" || \${#typed[@]} -eq 0 ]]; then typed+=("$word"); else typed[-1]+=$word; fi
    shown=\${line#"$word"}
  done
  broken=\${typed[-1]%"\${typed[-1]##*[:=]}"}
  quote=\${typed[-1]:0:1}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\\tfile' ]]; then compopt -o default; continue; fi
    found=\${line%%$'\\t'*}
    case $quote in
      # What means something between quotes is left to those who type it.
      \\') [[ $found == *\\'* ]] && continue ;;
      \\") [[ $found == *[\\"\\$\\\`\\\\!]* ]] && continue ;;
      *) printf -v found '%q' "$found"; found=\${found#"$broken"} ;;
    esac
    COMPREPLY+=("$found")
  done < <("\${COMP_WORDS[0]}" completion candidates -- "\${typed[@]:1}" 2>/dev/null </dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *'[' ]]; then compopt -o nospace; fi
}
complete -F _trading_admin trading-admin
`,
  zsh: `#compdef trading-admin
# Completion of trading-admin for zsh: source <(trading-admin completion zsh)
_trading_admin() {
  local line name
  local -a found open
  for line in "\${(@f)$(\${words[1]} completion candidates -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    if [[ $line == $'\\tfile' ]]; then _files; return; fi
    [[ -z $line ]] && continue
    name=\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}
    line="\${name//:/\\\\:}:\${line#*$'\\t'}"
    if [[ $name == *'[' ]]; then open+=("$line"); else found+=("$line"); fi
  done
  _describe trading-admin found -- open -S ''
}
compdef _trading_admin trading-admin
`,
  fish: `# Completion of trading-admin for fish: trading-admin completion fish | source
function __trading_admin_candidates
  set -l typed (commandline -opc)
  set -l found (trading-admin completion candidates -- $typed[2..-1] (commandline -ct) 2>/dev/null </dev/null)
  if contains -- \\tfile $found
    __fish_complete_path (commandline -ct)
  else if set -q found[1]
    # fish would put a blank behind the beginning of a path, and its value would be another word.
    string match -rv '^[^\\t]*\\[\\t' -- $found
  end
end
complete -c trading-admin -f -a '(__trading_admin_candidates)'
`,
};

/** `completion bash | zsh | fish`: the script that the shell loads. */
export const run: Run = async ({ command }) => {
  write(SCRIPTS[command.name] ?? "");
};
