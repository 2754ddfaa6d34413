/** A value that is there already, or will be. What is there costs no promise: a read on an embedded engine needs none. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value as soon as it is there: at once, or when its promise is fulfilled. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
