import type { AppManifest, PortableApp, PortableDocument } from '#archive/app-format.ts'
import { AppLines } from '#archive/app-lines.ts'
import type { ArchiveSource } from '#archive/source.ts'
import {
  appInArchive,
  archivedApp,
  bringAssets,
  carriedDocument,
  inApp,
  namesIn,
} from '#server/features/portable-apps/portable-apps.service.ts'
import type { PlannedField, PlannedModel, PlannedParts } from '#shared/contract/move-plans.ts'
import type { OtherNames } from '#shared/fields/field-type.ts'
import { shorten } from '#shared/unicode.ts'
import { countBrought } from '../store/brought-assets.repository.ts'
import type { Incoming, IncomingDocument } from './incoming-contents.ts'
import { lackingAssets, type Updating } from './update-context.ts'

interface AppArchive {
  source: ArchiveSource
  manifest: AppManifest
}

/** Returns the models and custom types of an app of Imori in the form of a plan, without recognition. */
export function partsOf({ app, models, customFieldTypes }: PortableApp): PlannedParts {
  return {
    app: { uid: app.uid, name: app.name },
    models: models.map(
      ({ uid, name, description, fields, titleField }): PlannedModel => ({
        from: uid,
        uid,
        name,
        description,
        fields: fields.map(plannedField),
        titleField,
        foundBy: null,
        source: 'contents',
        documents: { draft: 0, published: 0, changed: 0, unpublished: 0 },
      }),
    ),
    customTypes: customFieldTypes.map(({ uid, name, description, fields }) => ({
      from: uid,
      uid,
      name,
      description,
      fields: fields.map(plannedField),
      items: 0,
      usedBy: [],
    })),
  }
}

function plannedField(field: PortableApp['models'][number]['fields'][number]): PlannedField {
  const { uid, name: _, description, required, unique, ...settings } = field
  return {
    from: uid,
    field: field as PlannedField['field'],
    choices: [
      {
        settings: { ...settings, multiple: settings.multiple === true },
        confidence: 1,
        why: { code: 'sourceSchema', params: {} },
        differences: [],
      },
    ],
    samples: [],
    filled: 1,
    allows: { required: true, unique: true },
  }
}

/** Returns the parts like {@link partsOf}, with the number of documents of each status. */
export async function countedPartsOf({ source, manifest }: AppArchive): Promise<PlannedParts> {
  const lines = new AppLines(source, manifest)
  const parts = partsOf(await appInArchive(source, manifest))
  const models: PlannedModel[] = []
  for (const model of parts.models) {
    const documents = { ...model.documents }
    for await (const document of lines.documents(model.from)) documents[statusOf(document)] += 1
    models.push({ ...model, documents })
  }
  return { ...parts, models }
}

function statusOf({ published, firstPublishedAt }: PortableDocument): keyof PlannedModel['documents'] {
  if (published === null) return firstPublishedAt === null ? 'draft' : 'unpublished'
  return published === 'same' ? 'published' : 'changed'
}

/** Returns the contents of an app that an installation of Imori exported. */
export async function incomingApp(updating: Updating, { source, manifest }: AppArchive): Promise<Incoming> {
  const portable = await archivedApp(source, manifest)
  const { finishedAt, counts } = manifest
  const lines = new AppLines(source, manifest)
  const state: { names: OtherNames | null } = { names: null }
  const signature = { state: 'none' as const, key: null }
  return {
    source: { ...manifest.source, status: 'complete', finishedAt, signature },
    models: portable.app.models.map(({ uid }) => uid),
    count: counts.documents,
    others: { views: portable.app.views, roles: portable.app.roles, revisions: counts.revisions ?? 0 },
    async *documents(uid) {
      const title = portable.app.models.find((model) => model.uid === uid)?.titleField ?? null
      for await (const document of portable.documents(uid, null))
        yield incomingDocument(document, title, state)
    },
    // Documents that the archive lacks may never have existed at its source.
    isWhole: () => false,
    async countFiles() {
      const files: { id: string; size: number }[] = []
      for await (const { _id, path, bytes } of lines.assets())
        if (path !== null) files.push({ id: _id, size: bytes })
      const lacking = await lackingAssets(updating, files)
      return { assets: lacking.length, bytes: lacking.reduce((sum, { size }) => sum + size, 0) }
    },
    async bringFiles() {
      const { services, moveId, progress } = updating
      const carrying = { carryId: moveId, ids: 'kept', assets: 'brought', trusted: false } as const
      const brought = await bringAssets({ ...updating, ...carrying, source: portable }, (done, all) =>
        progress(done, all + counts.documents),
      )
      const space = await inApp(updating, async (ctx) => ctx.space.uid)
      state.names = namesIn(brought, { host: services.config, space })
      return { assets: await countBrought(updating), problems: brought.problems }
    },
    close: async () => {},
  }
}

function incomingDocument(
  document: PortableDocument,
  titleField: string | null,
  state: { names: OtherNames | null },
): IncomingDocument {
  const { _id: id, current, customOrder } = document
  const title = titleField === null ? undefined : current[titleField]
  return {
    id,
    title: typeof title === 'string' && title !== '' ? shorten(title, 80) : id,
    values: current,
    isTimeless: false,
    state: async () => ({
      updatedAt: new Date(document.updatedAt),
      publishedAt: document.publishedAt === null ? null : new Date(document.publishedAt),
      customOrder,
    }),
    async convert({ model }) {
      if (!state.names) throw new TypeError('files come before documents')
      const carried = await carriedDocument({ trusted: false }, model, document, state.names)
      return { document: carried.document, leftOut: carried.leftOut, changes: [] }
    },
  }
}
