/**
 * Checks an address that a user gave under `name`. Credentials in it are refused here, because the message with which
 * `fetch` refuses them would quote them.
 *
 * @throws TypeError that names what was wrong.
 */
export function checkedAddress(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`${name} must be an http or https URL`);
  if (url.username !== "" || url.password !== "") throw new TypeError(`${name} must not hold a user and a password`);
  if (url.hash !== "") throw new TypeError(`${name} must not hold a fragment`);
  return url;
}
