import { titleOf } from '#archive/content.ts'
import type { Manifest } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { CarryProblem } from '#server/features/portable-apps/portable-apps.service.ts'
import type { AppChanges } from '#shared/contract/move-updates.ts'
import type { SourceState } from './moves.bases.ts'
import { type Converted, stateOf, toDocument } from './moves.documents.ts'
import { countReplaced } from './moves.file-changes.repository.ts'
import { documentId, type ReceivedContent } from './moves.received.ts'
import { contentsOf, type ModelSurvey, type Survey, survey } from './moves.survey.ts'
import { bringAssets } from './moves.update-assets.ts'
import { bringFiles, planFiles } from './moves.update-files.ts'
import type { UpdatedModel } from './moves.update-models.ts'
import { lackingAssets, type Updating } from './moves.updating.ts'

/** A document as it is there, whatever it comes from. */
export interface IncomingDocument {
  /** As it is called here. */
  id: string
  title: string
  values: Record<string, unknown>
  /** What is said of it beside its values. */
  state(): Promise<SourceState>
  /** Once files were brought. */
  convert(into: UpdatedModel): Promise<Converted>
}

/** What comes into an app that is there: contents of an archive, or an app of ours ({@link file://./moves.incoming-app.ts}). */
export interface Incoming {
  source: AppChanges['source']
  models: readonly string[]
  /** Of all models. */
  count: number
  documents(model: string): AsyncIterable<IncomingDocument>
  /** Are all documents of the model there, so that what is not is gone? */
  isWhole(model: string): boolean
  /** Files that are not in the library, or are others there; these are written down. */
  countFiles(): Promise<{ assets: number; bytes: number }>
  bringFiles(): Promise<{ assets: number; problems: CarryProblem[] }>
  close(): Promise<void>
}

/** The contents of an archive of other services. */
export async function incomingContents(
  updating: Updating,
  archive: { source: ArchiveSource; manifest: Manifest },
): Promise<Incoming> {
  const { source, manifest } = archive
  const found = await survey(source, manifest, updating.workFolder, updating.fileOwner)
  const { kind, space, app } = manifest.source
  const { status, finishedAt } = manifest
  const around = { found, addresses: new Map<string, string>(), updating }
  return {
    source: { kind, space, app, status, finishedAt },
    models: [...found.models.keys()],
    count: found.index.documentCount,
    async *documents(model) {
      const surveyed = found.models.get(model)
      if (!surveyed) return
      for await (const content of surveyed.copies?.values() ?? contentsOf(source, manifest, model))
        yield incomingContent(content, surveyed, around)
    },
    isWhole: (model) => isWhole(manifest) && !found.models.get(model)?.copies,
    async countFiles() {
      const lacking = await lackingAssets(updating, found.assets)
      const { count, bytes } = await planFiles(updating, manifest, found)
      return {
        assets: lacking.length + count,
        bytes: lacking.reduce((sum, { size }) => sum + size, bytes),
      }
    },
    async bringFiles() {
      // One that was not to be had before is delivered by us from now on, to texts too.
      await bringFiles(updating, manifest, found)
      const { addresses, problems, brought } = await bringAssets(updating, found)
      around.addresses = addresses
      return {
        assets: brought + (await countReplaced(updating.db, updating.scope, updating.moveId)),
        problems,
      }
    },
    close: () => found.close(),
  }
}

function incomingContent(
  content: ReceivedContent,
  surveyed: ModelSurvey,
  around: { found: Survey; addresses: ReadonlyMap<string, string>; updating: Updating },
): IncomingDocument {
  const { found } = around
  const id = documentId(content.id)
  return {
    id,
    title: titleOf(content.values) || id,
    values: content.values,
    state: () => stateOf(content, surveyed),
    convert({ model, fields }) {
      const origin = {
        asset: (value: unknown) => found.index.asset(value),
        document: (value: unknown) => found.index.document(value),
        rewrite: (text: string) => found.finder.replaceInText(text, (url) => around.addresses.get(url)),
      }
      const conversion = { model, fields, origin }
      return toDocument(content, { ...surveyed, published: found.published, conversion })
    },
  }
}

/** Has the archive all contents of its models? */
const isWhole = ({ status, counts }: Manifest) => status !== 'partial' && counts.gaps.contents === 0
