/** What happens on a link to an engine, for the log of the host. Messages hold nothing secret. */
export type LinkEvent =
  /** Requests can be sent from now on. */
  | { readonly kind: "up"; readonly message: string }
  /** Requests are refused from now on; `message` says why. */
  | { readonly kind: "down"; readonly message: string }
  /** The other end sent something that is not of the contract. */
  | { readonly kind: "problem"; readonly message: string };
