/** Path of the API below the place it is mounted at; it carries the version (specification, "Versioning"). */
export const BASE_PATH = "/api/admin/v1";
