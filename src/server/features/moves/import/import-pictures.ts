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
import { ArchiveLines } from '../archive/archive-lines.ts'
import type { Survey } from '../archive/survey.ts'
import type { Importing } from './import-context.ts'

/**
 * Imports the icon and the cover of the app, unless they have been set in the meantime. Returns the refused pictures as
 * problems.
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
    const { data: picture } = appIconSchema.safeParse({ type, value })
    if (picture?.type === 'emoji' && kind === 'icon')
      await inApp(importing, async (ctx) => {
        if (ctx.app.icon === null) await updateApp(ctx, { icon: picture })
      })
    const url = picture?.type === 'image' ? finder.ofSource(picture.value) : undefined
    const asset = assets.find(({ urls }) => url !== undefined && urls.includes(url))
    if (!url || !asset || asset.size === 0) continue
    const id = madeId(moveId, `${appId} ${kind} ${asset.sha256}`)
    const file = { fileName: asset.fileName, type: asset.fileType, bytes: asset.bytes() }
    try {
      const inSpace = <T>(work: Parameters<typeof inApp<T>>[1]) => inApp(importing, work)
      await bringForeignPicture({ ...importing, spaceId: importing.scope.spaceId, inSpace }, kind, {
        id,
        file,
      })
    } catch (error) {
      if (!isAboutOneFile(error)) throw error
      problems.add('fileRefused', `app.${kind}`, url, { reason: (error as AppError).code })
    }
  }
  return problems.list()
}
