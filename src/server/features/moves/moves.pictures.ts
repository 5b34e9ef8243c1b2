import { isRecord } from '#archive/shapes.ts'
import { bringForeignPicture, updateApp } from '#server/features/apps/apps.service.ts'
import {
  type CarryProblem,
  inApp,
  isAboutOneFile,
  madeId,
  Problems,
} from '#server/features/portable-apps/portable-apps.service.ts'
import { appIconSchema } from '#shared/contract/apps.ts'
import type { AppError } from '#shared/errors.ts'
import { ArchiveLines } from './moves.contents.ts'
import type { Importing } from './moves.importing.ts'
import type { Survey } from './moves.survey.ts'

/**
 * Gives the app the icon and the cover that it had, as far as the archive has them; those that somebody has given it by now stay.
 * Answers which pictures could not be used.
 */
export async function importPictures(
  importing: Importing,
  { finder, assets }: Pick<Survey, 'finder' | 'assets'>,
): Promise<CarryProblem[]> {
  const { moveId, appId, source, manifest } = importing
  const app = await new ArchiveLines(source, manifest).whole('app.json')
  if (!isRecord(app)) return []
  const problems = new Problems()
  for (const kind of ['icon', 'cover'] as const) {
    const { type, value } = isRecord(app[kind]) ? app[kind] : {}
    const { data: told } = appIconSchema.safeParse({ type, value })
    if (told?.type === 'emoji' && kind === 'icon')
      await inApp(importing, async (ctx) => {
        if (ctx.app.icon === null) await updateApp(ctx, { icon: told })
      })
    const url = told?.type === 'image' ? finder.ofSource(told.value) : undefined
    const asset = assets.find(({ urls }) => url !== undefined && urls.includes(url))
    if (!url || !asset || asset.size === 0) continue
    const id = madeId(moveId, `${appId} ${kind} ${asset.sha256}`)
    const file = { fileName: asset.fileName, type: asset.fileType, bytes: asset.bytes() }
    try {
      const inSpace = <T>(work: Parameters<typeof inApp<T>>[1]) => inApp(importing, work)
      await bringForeignPicture({ ...importing, inSpace }, kind, { id, file })
    } catch (error) {
      if (!isAboutOneFile(error)) throw error
      problems.add('fileRefused', `app.${kind}`, url, { reason: (error as AppError).code })
    }
  }
  return problems.list()
}
