import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Handle } from '#server/content/read.ts'

/** A statement is prepared when it comes for the third time, … */
const preparedFrom = 3
/** … and no more than this many are, because connections keep them for ever. */
const maximumPrepared = 400

/** The pool as a handle that prepares the statements which come again and again. `bytes`: see byte-pool.ts. */
export function preparingHandle(pool: pg.Pool, bytes: boolean): Handle {
  const uses = new LRUCache<string, number>({ max: 2000 })
  const names = new Map<string, string>()
  return {
    bytes,
    query(text, values) {
      let name = names.get(text)
      if (name === undefined && names.size < maximumPrepared) {
        const count = (uses.get(text) ?? 0) + 1
        if (count < preparedFrom) uses.set(text, count)
        else {
          name = `content ${names.size}`
          names.set(text, name)
          uses.delete(text)
        }
      }
      return name === undefined ? pool.query(text, values) : pool.query({ name, text, values })
    },
  }
}
