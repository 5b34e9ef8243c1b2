/** Splits the items into slices of at most `size`, to limit the parameters of one statement. */
export function* inSlices<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let slice: T[] = []
  for (const item of items) {
    slice.push(item)
    if (slice.length < size) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}
