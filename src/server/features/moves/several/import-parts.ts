import type { MoveReport } from '#shared/contract/moves.ts'
import type { MoveWork } from '../import/import-context.ts'
import { updateMove } from '../store/moves.repository.ts'
import { type AppPart, countAssets, listAppParts } from '../store/parts.repository.ts'

/** Imports the apps that are not imported yet, one after the other. Can be interrupted at any time. */
export async function importParts(
  work: MoveWork,
  fill: (work: MoveWork, part: AppPart & { appId: number }) => Promise<void>,
): Promise<void> {
  const { db, scope, moveId, progress } = work
  const begun = (await listAppParts(db, scope, moveId)).filter(({ appId }) => appId !== null)
  const total = begun.reduce((sum, part) => sum + sizeOf(part), 0)
  let before = 0
  for (const part of begun) {
    const { appId, state } = part
    if (appId !== null && state === 'importing') {
      const offset = before
      const own = { ...work, progress: (done: number) => progress(offset + done, total) }
      await fill(own, { ...part, appId })
    }
    before += sizeOf(part)
  }
  const done = await listAppParts(db, scope, moveId)
  const report = reportOf(done.filter(({ state }) => state === 'imported'))
  const ids = done.map(({ id }) => id)
  const assets = await countAssets(db, scope, ids)
  await updateMove(db, scope, moveId, {
    state: 'imported',
    report: { ...report, assets },
    finishedAt: new Date(),
  })
}

const sizeOf = ({ plan: { counts } }: AppPart) => counts.documents + counts.assets

/** Merges the reports of the parts. Paths begin with the uid of the app. */
function reportOf(parts: readonly AppPart[]): MoveReport {
  const problems = parts.flatMap(({ plan, report }) =>
    (report?.problems ?? []).map((problem) => ({
      ...problem,
      path: [plan.app.uid, problem.path].filter((word) => word !== '').join('.'),
    })),
  )
  const documents = parts.reduce((sum, { report }) => sum + (report?.documents ?? 0), 0)
  const statuses = parts.flatMap(({ report }) => report?.statuses ?? [])
  const sumOf = (status: keyof (typeof statuses)[number]) =>
    statuses.reduce((sum, counts) => sum + counts[status], 0)
  return {
    documents,
    assets: 0,
    problems,
    // Reports of apps that Imori exported have no statuses.
    ...(statuses.length === parts.length && {
      statuses: { published: sumOf('published'), draft: sumOf('draft'), leftOut: sumOf('leftOut') },
    }),
  }
}
