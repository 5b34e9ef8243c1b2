import { titleOf } from '#archive/content.ts'
import type { Manifest, SourceKind } from '#archive/format.ts'
import type { ArchiveSource } from '#archive/source.ts'
import type { CarryProblem } from '#server/features/portable-apps/portable-apps.service.ts'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { AppChanges } from '#shared/contract/move-updates.ts'
import { documentId, type ReceivedContent } from '../archive/received-contents.ts'
import { StateChoices } from '../archive/state-choices.ts'
import { contentsOf, type ModelSurvey, type Survey, survey } from '../archive/survey.ts'
import { type Converted, stateOf, toDocument } from '../import/content-to-document.ts'
import type { SourceState } from '../store/bases.repository.ts'
import { countReplaced } from '../store/changed-files.repository.ts'
import { noOtherParts, type OtherParts } from './left-out.ts'
import { addressesHere, bringAssets } from './new-files.ts'
import { bringFiles, planFiles } from './replaced-files.ts'
import { lackingAssets, type Updating } from './update-context.ts'
import type { UpdatedModel } from './updated-models.ts'

export interface IncomingDocument {
  /** `_id` of the document in the app. */
  id: string
  title: string
  values: Record<string, unknown>
  /** True if the document's times do not show whether it changed, so that its values must be compared. */
  isTimeless: boolean
  /** Returns the document's times and order at the source. */
  state(): Promise<SourceState>
  /**
   * Converts the document. URLs of files in texts become URLs of this space if this installation delivers the file.
   * This includes files that {@link Incoming.bringFiles} has imported.
   */
  convert(into: UpdatedModel): Promise<Converted>
}

/** The input of an import into an existing app: contents of another service, or an app of Imori (incoming-app.ts). */
export interface Incoming {
  source: AppChanges['source']
  models: readonly string[]
  /** Number of documents of all models. */
  count: number
  others: OtherParts
  documents(model: string): AsyncIterable<IncomingDocument>
  /**
   * Returns whether the archive has all documents of the model. Documents that it lacks were then deleted at the
   * source.
   */
  isWhole(model: string): boolean
  /**
   * Counts the files that are missing in the library. For contents of another service, also counts the files that
   * differ from the library and stores them, so that the user can decide about them.
   */
  countFiles(): Promise<{ assets: number; bytes: number }>
  bringFiles(): Promise<{ assets: number; problems: CarryProblem[] }>
  close(): Promise<void>
}

/** Returns the contents of an archive of another service. */
export async function incomingContents(
  updating: Updating,
  archive: { source: ArchiveSource; manifest: Manifest },
  /** The plan of the archive, with the choices for the states of its contents. */
  plan: Pick<MovePlan, 'models'>,
): Promise<Incoming> {
  const { source, manifest } = archive
  const found = await survey(source, manifest, {
    folder: updating.workFolder,
    owner: updating.fileOwner,
    choices: new StateChoices(manifest.source.kind, plan.models),
  })
  const { kind, space, app } = manifest.source
  const { status, finishedAt } = manifest
  const context = { kind, found, addresses: await addressesHere(updating, found), updating }
  return {
    source: { kind, space, app, status, finishedAt },
    models: [...found.models.keys()],
    count: found.index.documentCount,
    others: noOtherParts,
    async *documents(model) {
      const surveyed = found.models.get(model)
      if (!surveyed) return
      for await (const content of surveyed.copies?.values() ?? contentsOf(source, manifest, model))
        if (surveyed.choiceOf(content.sys) !== 'leaveOut') yield incomingContent(content, surveyed, context)
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
      // Files are replaced before the URLs are computed. A file that was missing before is then delivered by this
      // installation, and texts get its new URL.
      await bringFiles(updating, manifest, found)
      const { addresses, problems, brought } = await bringAssets(updating, found)
      context.addresses = addresses
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
  context: {
    kind: SourceKind
    found: Survey
    addresses: ReadonlyMap<string, string>
    updating: Updating
  },
): IncomingDocument {
  const { found } = context
  const id = documentId(content.id)
  return {
    id,
    title: titleOf(content.values) || id,
    values: content.values,
    // Archives that earlier versions converted may lack `isTimeless`. Their values are compared.
    isTimeless: content.sys.isTimeless ?? context.kind !== 'newt',
    state: () => stateOf(content, surveyed),
    convert({ model, fields }) {
      const origin = {
        asset: (value: unknown) => found.index.asset(value),
        document: (value: unknown) => found.index.document(value),
        rewrite: (text: string) => found.finder.replaceInText(text, (url) => context.addresses.get(url)),
      }
      const conversion = { model, fields, origin }
      return toDocument(content, { ...surveyed, published: found.published, conversion })
    },
  }
}

/** Returns whether the archive has all contents of its models. */
const isWhole = ({ status, counts }: Manifest) => status !== 'partial' && counts.gaps.contents === 0
