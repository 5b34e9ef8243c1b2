import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type StandIn, startStandIn } from '#test/newt-stand-in/server.ts'
import { temporaryFolder } from './helpers.ts'

/** Every model of the sample space, named. */
export const all = { models: ['article', 'author', 'category', 'staff-member', 'empty'] }

/** Where a test rescues from and to; gone after it. */
export interface Bench {
  /** A folder of its own, and the archive's in it. */
  folder: string
  out: string
  /** The stand-in that was served last. */
  readonly standIn: StandIn
  /** Starts a stand-in with that space. */
  serve(...given: Parameters<typeof startStandIn>): Promise<StandIn>
}

/** Gives every test of the file a folder, and a stand-in when it serves one. */
export function freshBench(): Bench {
  let remove: () => Promise<void>
  let standIns: StandIn[] = []
  const bench: Bench = {
    folder: '',
    out: '',
    get standIn() {
      const last = standIns.at(-1)
      if (!last) throw new Error('nothing is served')
      return last
    },
    async serve(...given) {
      const standIn = await startStandIn(...given)
      standIns.push(standIn)
      return standIn
    },
  }
  beforeEach(async () => {
    const folder = await temporaryFolder()
    bench.folder = folder.path
    bench.out = join(folder.path, 'archive')
    remove = folder.remove
  })
  afterEach(async () => {
    for (const standIn of standIns) await standIn.close()
    standIns = []
    await remove()
  })
  return bench
}
