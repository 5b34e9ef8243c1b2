import { isCarried, type MovePlan } from '#shared/contract/move-plans.ts'
import { invalid } from '#shared/errors.ts'
import { withArchive, workPath } from '../archive/archive-files.ts'
import { importContents } from '../import/import-contents.ts'
import { correctedMovePlan } from '../plan/corrections.ts'
import { makePlannedApp } from '../plan/make-planned.ts'
import { appKind, contradicts } from './app-kind.ts'

/** Contents of another service, whose models are inferred. */
export const contents = appKind<MovePlan>({
  read(plan) {
    if (isCarried(plan)) throw contradicts()
    return plan
  },
  correct(plan, corrections) {
    if ('ids' in corrections) throw invalid('data.models', 'Required')
    return correctedMovePlan(plan, corrections)
  },
  make: (ctx, _path, { plan }) => makePlannedApp(ctx, plan),
  fill: (work, { id, plan, part }) =>
    withArchive(
      work.path,
      async (source, read) => {
        if (read.of !== 'contents') throw contradicts()
        const workFolder = workPath(work.services.config.dataDir, work.scope.spaceId, id)
        await importContents({ ...work, plan, source, manifest: read.manifest, workFolder })
      },
      part,
    ),
  models: ({ models }) =>
    models.map(({ uid, name, documents }) => ({
      uid,
      name,
      documents: Object.values(documents).reduce((sum, count) => sum + count, 0),
    })),
})
