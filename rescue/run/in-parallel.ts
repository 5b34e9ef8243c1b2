import { modelsAtOnce } from '#rescue/newt/connect.ts'

/**
 * Runs work over a list, at most `modelsAtOnce` items concurrently. After the first failure it starts no more work,
 * waits for pending work and throws the failure.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let next = 0
  let failure: unknown
  const worker = async () => {
    while (failure === undefined) {
      const item = items[next++]
      if (item === undefined) return
      try {
        await work(item)
      } catch (error) {
        failure ??= error
      }
    }
  }
  await Promise.all(Array.from({ length: modelsAtOnce }, worker))
  if (failure !== undefined) throw failure
}
