/** The one user of the servers under load. */
export const USER: string;
export const PASSWORD: string;
