import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type StandIn, startStandIn } from '#test/newt-stand-in/server.ts'
import { temporaryFolder } from './helpers.ts'

/** All models of the sample space. */
export const all = { models: ['article', 'author', 'category', 'staff-member', 'empty'] }

/** Source and target of a rescue in a test. They are removed after the test. */
export interface Bench {
  /** The folder of the test, and the folder of the archive inside it. */
  folder: string
  out: string
  /** The stand-in that was started last. */
  readonly standIn: StandIn
  serve(...given: Parameters<typeof startStandIn>): Promise<StandIn>
}

/** Creates a folder for each test of the file, and lets the test start stand-ins. */
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
