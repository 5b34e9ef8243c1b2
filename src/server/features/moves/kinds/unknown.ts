import { withArchive } from '../archive/archive-files.ts'
import { findRefusal, refuse } from '../check/check-archive.ts'
import type { MoveRow } from '../store/moves.repository.ts'
import { notReady } from '../store/open-move.ts'
import { carried } from './carried.ts'
import { contents } from './contents.ts'
import type { Kind } from './move-kind.ts'
import { withoutMovePlan } from './no-move-plan.ts'
import { requireToMoveApps } from './rights.ts'
import { several } from './several.ts'

const kindsOfArchives = { contents, app: carried, space: several }

const refuseStep = async (_: unknown, { state }: MoveRow): Promise<never> => {
  throw notReady(state)
}

/** A move whose archive has not been checked yet or was refused. The check determines its kind. */
export const unknown: Kind = {
  ...withoutMovePlan,
  right: 'app.manage',
  async check(work) {
    const { path, archives } = work
    if (archives.length > 1) {
      await several.check(work)
      return
    }
    const { refusal, signature } = await findRefusal({ path }, work)
    if (refusal) {
      await refuse(work, refusal)
      return
    }
    const of = await withArchive(path, async (_source, read) => read.of)
    await kindsOfArchives[of].check({ ...work, signature })
  },
  start: refuseStep,
  run: async () => {},
  requireMayGoOn: requireToMoveApps,
  undo: refuseStep,
  accept: async () => {},
  forget: async () => {},
}
