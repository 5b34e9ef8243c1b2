import type { Db } from '#server/db/scope.ts'
import type { Storages } from '#server/storage/index.ts'
import { doom, forgetBlob } from './blobs.repository.ts'

/**
 * Removes contents that no asset and no submission refers to, and returns the number removed. If a storage fails,
 * `onAway` is called, and the contents of that storage are left for the next run.
 */
export async function sweepBlobs(
  db: Db,
  storages: Storages,
  progress: (swept: number) => Promise<void>,
  onAway: (error: unknown) => void,
): Promise<number> {
  const away = new Set<string>()
  let swept = 0
  for (;;) {
    const doomed = await doom(db, [...away])
    for (const { space_id, storage, key } of doomed) {
      const place = `${space_id} ${storage}`
      if (away.has(place)) continue
      try {
        const driver = await storages.of({ space_id, storage })
        await driver.delete(key)
      } catch (error) {
        away.add(place)
        onAway(error)
        continue
      }
      await forgetBlob(db, { space_id, storage, key })
      swept++
    }
    await progress(swept)
    if (doomed.length === 0) return swept
  }
}
