/** From the scheme of a URL, or the first colon where there is none, to the last `@`: what does not parse is not safer. */
const USER_INFO = /(:\/\/|\/\/|:).*@/s;

/**
 * The query and fragment of a URL, or from the first parameter of what may be a part of one, to the end of the text, or of the text in
 * quotes.
 */
const PARAMETERS = /(:\/\/[^"?#]*[?#])(?:[^"\\]|\\.)+|([?#])[^"?#=]*=(?:[^"\\]|\\.)*/gs;

/** It may be a private key. */
const PEM = /-----BEGIN[^"]*/g;

/**
 * A text that an operator gave, for messages: without the user and password and the parameters of a URL in it, be it well-formed or not, and
 * without PEM. Rather hides too much: of several URLs in one text, the first scheme and the last host stay.
 */
export function withoutSecrets(text: string): string {
  return text.replace(USER_INFO, "$1***@").replace(PARAMETERS, "$1$2***").replace(PEM, "***");
}
