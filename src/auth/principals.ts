/** The users and groups of one directory. They share one name space; keys are made by `nameKey`. */
export interface Principals {
  /** Names of users as the directory spells them, by key. */
  readonly users: ReadonlyMap<string, string>;
  /** Keys of all users of a group, those of nested groups included, by key of the group. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
}
