import { type CarriedPlan, isCarried } from '#shared/contract/move-plans.ts'
import { AppError, invalid } from '#shared/errors.ts'
import { withArchive } from '../archive/archive-files.ts'
import { importCarried, makeCarriedApp } from '../import/carried-app.ts'
import { appKind, contradicts } from './app-kind.ts'

/** An app exported by an installation of Imori. */
export const carried = appKind<CarriedPlan>({
  read(plan) {
    if (!isCarried(plan)) throw contradicts()
    return plan
  },
  correct(plan, corrections) {
    if (!('ids' in corrections)) throw invalid('data.ids', 'Required')
    return { ...plan, ...corrections }
  },
  make: (ctx, path, { id, plan, part }) =>
    withArchive(
      path,
      async (source, read) => {
        if (read.of !== 'app') throw new AppError('MoveFileIsGone')
        return makeCarriedApp(ctx, { source, manifest: read.manifest }, { moveId: id, plan })
      },
      part,
    ).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new AppError('MoveFileIsGone', { cause: error }) : error
    }),
  fill: (work, { plan, part }) =>
    withArchive(
      work.path,
      async (source, read) => {
        if (read.of !== 'app') throw contradicts()
        await importCarried(work, { source, manifest: read.manifest }, plan)
      },
      part,
    ),
  models: ({ models }) => models.map(({ uid, name, documents }) => ({ uid, name, documents })),
})
