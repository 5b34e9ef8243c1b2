import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  filePath,
  type PortableApp,
  type PortableAsset,
  type PortableDocument,
  type PortablePicture,
  type PortableRevision,
} from '#archive/app-format.ts'
import type { AppContext } from '#server/access/context.ts'
import { namesIn } from '#server/content/derived.ts'
import { readAppPicture } from '#server/features/apps/apps.service.ts'
import {
  findAssetIds,
  listCarriedAssets,
  readCarriedAsset,
} from '#server/features/assets/asset-exports.service.ts'
import { listCustomTypes } from '#server/features/custom-types/custom-types.service.ts'
import {
  listDocumentPage,
  listRevisionPage,
  type PastDocument,
} from '#server/features/documents/documents.service.ts'
import { type ModelRecord, modelsByUid } from '#server/features/models/models.service.ts'
import { listRoles, type Role } from '#server/features/roles/roles.service.ts'
import { listViews } from '#server/features/views/views.service.ts'
import { portableAddress } from '#shared/asset-address.ts'
import { AppError } from '#shared/errors.ts'
import { type ValueModel, valuesByUid } from '#shared/fields/document.ts'
import type { OtherNames } from '#shared/fields/field-type.ts'
import { portableModels } from '#shared/fields/portable.ts'
import { renamedValues } from '#shared/fields/renamed-values.ts'
import { type InApp, inApp } from './portable-apps.context.ts'
import { madeId } from './portable-apps.ids.ts'
import type { PortableSource } from './portable-apps.source.ts'

/** Number of documents read at a time. A document has at most 1 MB, or twice that with unpublished edits. */
const pageSize = 25
const assetsAtATime = 200

interface LiveOptions extends InApp {
  /**
   * `portable`: URLs of assets in texts are replaced by portable ones. `kept`: URLs stay, for copies in the same space,
   * which shares its assets.
   */
  addresses: 'portable' | 'kept'
  revisions?: boolean
}

/**
 * Returns an app of this installation as a portable source. Models, views and roles are a consistent snapshot.
 * Documents are read page by page, each page in its own transaction. `assets` are the files used by the documents and
 * revisions that were read before. Throws 404. Throws `VersionConflict` if a model's fields differ from `app`.
 */
export async function liveApp(options: LiveOptions): Promise<PortableSource> {
  const {
    services: { storages },
    scope,
    signal,
    addresses,
  } = options
  const { app, versions } = await inApp(options, readLiveApp)
  const used = new Set<string>()
  /** Versions of the documents that were read, for their revisions. */
  const states = new Map<string, Map<string, Pick<Stored, 'version' | 'publishedVersion'>>>()
  async function* documents(model: string, after: string | null): AsyncGenerator<PortableDocument> {
    const read = new Map<string, Pick<Stored, 'version' | 'publishedVersion'>>()
    if (options.revisions) states.set(model, read)
    for (let last = after; ; ) {
      signal?.throwIfAborted()
      const page = await inApp(options, async (ctx) => {
        const found = await listDocumentPage(ctx, model, last, pageSize)
        if (found.model.version !== versions.get(model)) throw new AppError('VersionConflict')
        const ids = found.documents.flatMap(({ current, pub }) => [
          ...assetsNamedIn(found.model, current),
          ...(pub && pub !== current ? assetsNamedIn(found.model, pub) : []),
        ])
        return { ...found, known: await findAssetIds(ctx, [...new Set(ids)]) }
      })
      for (const id of page.known) used.add(id)
      const names = addresses === 'portable' ? portableNames(page.known) : null
      for (const document of page.documents) {
        const { id, version, publishedVersion } = document
        if (options.revisions) read.set(id, { version, publishedVersion })
        yield toPortable(page.model, document, names)
      }
      if (page.documents.length < pageSize) return
      last = page.documents.at(-1)?.id ?? null
    }
  }
  async function* revisions(model: string): AsyncGenerator<PortableRevision> {
    for (let last = { documentId: '', version: 0 }; ; ) {
      signal?.throwIfAborted()
      const page = await inApp(options, async (ctx) => {
        const found = await listRevisionPage(ctx, model, last, pageSize)
        if (found.model.version !== versions.get(model)) throw new AppError('VersionConflict')
        const ids = found.revisions.flatMap(({ values }) => [...assetsNamedIn(found.model, values)])
        return { ...found, known: await findAssetIds(ctx, [...new Set(ids)]) }
      })
      const names = addresses === 'portable' ? portableNames(page.known) : null
      for (const revision of page.revisions) {
        const document = states.get(model)?.get(revision.documentId)
        // The revision was written after the document was read, or its document is not included.
        if (!document || revision.version > document.version) continue
        for (const id of assetsNamedIn(page.model, revision.values)) if (page.known.has(id)) used.add(id)
        yield toPortableRevision(page.model, revision, document, names)
      }
      const next = page.revisions.at(-1)
      if (!next || page.revisions.length < pageSize) break
      last = next
    }
    states.delete(model)
  }
  const places = new Map<string, { storage: string; storageKey: string }>()
  return {
    app,
    documents,
    ...(options.revisions ? { revisions } : {}),
    async *assets() {
      const ids = [...used].sort()
      for (let at = 0; at < ids.length; at += assetsAtATime) {
        signal?.throwIfAborted()
        const part = ids.slice(at, at + assetsAtATime)
        for (const asset of await inApp(options, (ctx) => listCarriedAssets(ctx, part))) {
          const { id: _id, hash, size: bytes, storage, storageKey, elsewhere, ...said } = asset
          const driver = await storages.of({ space_id: scope.spaceId, storage })
          const isThere = (await driver.stat(storageKey))?.size === bytes
          places.set(_id, { storage, storageKey })
          const portable = portableAsset({ _id, sha256: hash.toString('hex'), bytes, ...said }, isThere)
          yield elsewhere ? { ...portable, elsewhere } : portable
        }
      }
    },
    async *bytes({ _id }) {
      const place = places.get(_id)
      if (place) yield* await readCarriedAsset(storages, scope.spaceId, place, signal)
    },
    async picture({ sha256 }) {
      const found = await inApp(options, async (ctx) => [
        await readAppPicture(ctx, 'icon'),
        await readAppPicture(ctx, 'cover'),
      ])
      const picture = found.find((one) => one && hashOf(one.bytes) === sha256)
      if (!picture) throw new AppError('VersionConflict')
      return picture.bytes
    },
  }
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const portableAsset = (asset: Omit<PortableAsset, 'path'>, isThere: boolean): PortableAsset => {
  const { _id, fileName, mediaType, bytes, sha256, title, description, altText, focalPoint, tags } = asset
  const path = isThere ? filePath(asset) : null
  const said = { title, description, altText, focalPoint, private: asset.private, tags }
  return { _id, fileName, mediaType, bytes, sha256, path, ...said }
}

const portableNames = (known: ReadonlySet<string>): OtherNames => ({
  document: (id) => id,
  asset: (id) => id,
  assetAddress: (id) => (known.has(id) ? portableAddress(id) : undefined),
})

/** Returns the `_id`s of the assets that values use, including assets whose URLs are in plain text. */
function assetsNamedIn(model: ValueModel, values: Stored['current']): Set<string> {
  const ids = new Set(namesIn({ fields: model.fields, targets: new Map() }, [values]).assetIds)
  const note = (id: string): undefined => {
    ids.add(id)
  }
  renamedValues(model, values, { document: (id) => id, asset: (id) => id, assetAddress: note })
  return ids
}

type Stored = Awaited<ReturnType<typeof listDocumentPage>>['documents'][number]

const writtenWith = (model: ValueModel, names: OtherNames | null) => (values: Stored['current']) =>
  valuesByUid(model, names ? renamedValues(model, values, names) : values)

function toPortableRevision(
  model: ValueModel,
  { documentId, version, kind, source, blind, createdAt, author, values }: PastDocument,
  document: Pick<Stored, 'version' | 'publishedVersion'>,
  names: OtherNames | null,
): PortableRevision {
  const is: PortableRevision['is'] = []
  if (version === document.version) is.push('current')
  if (version === document.publishedVersion) is.push('published')
  return {
    _id: documentId,
    version,
    kind,
    source,
    blind,
    createdAt: createdAt.toISOString(),
    createdBy: author && { name: author.name, email: author.email },
    is,
    values: is.length > 0 ? null : writtenWith(model, names)(values),
  }
}

function toPortable(model: ValueModel, document: Stored, names: OtherNames | null): PortableDocument {
  const { id, current, pub, customOrder } = document
  const written = writtenWith(model, names)
  const isSame = pub !== null && (!document.hasDraft || isDeepStrictEqual(pub, current))
  const time = (date: Date | null) => date?.toISOString() ?? null
  return {
    _id: id,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
    firstPublishedAt: time(document.firstPublishedAt),
    publishedAt: time(document.publishedAt),
    publishedUpdatedAt: time(document.publishedUpdatedAt),
    customOrder,
    current: written(current),
    published: isSame ? 'same' : pub && written(pub),
  }
}

/** Returns the app without documents and files, and the versions of its models. */
export async function readLiveApp(
  ctx: AppContext,
): Promise<{ app: PortableApp; versions: Map<string, number> }> {
  const byUid = await modelsByUid(ctx)
  const models = [...byUid.values()]
  const { uid, name, description, icon, visibility, defaultRole } = ctx.app
  const picture = (kind: 'icon' | 'cover') => readPicture(ctx, kind)
  const views = (await listViews(ctx)).filter(({ personal }) => !personal)
  const roles = (await listRoles(ctx, 'app'))
    .filter(({ builtIn }) => !builtIn)
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
  const idOf = (owner: string, field: string) => madeId(owner, field)
  const app: PortableApp = {
    app: {
      uid,
      name,
      description,
      icon: icon?.type === 'emoji' ? { type: 'emoji', value: icon.value } : await picture('icon'),
      cover: await picture('cover'),
      accessSettings: { visibility, defaultRole },
    },
    ...portableModels(models, await listCustomTypes(ctx), idOf),
    views: views.map(({ modelUid, name: called, type, settings }) => ({
      modelUid,
      name: called,
      type,
      settings,
    })),
    roles: roles.map((role) => portableRole(role, models)),
  }
  return { app, versions: new Map(models.map((model) => [model.uid, model.version])) }
}

async function readPicture(ctx: AppContext, kind: 'icon' | 'cover'): Promise<PortablePicture | null> {
  const found = await readAppPicture(ctx, kind)
  if (!found) return null
  const { mediaType, bytes } = found
  const sha256 = hashOf(bytes)
  return {
    type: 'image',
    mediaType: mediaType as PortablePicture['mediaType'],
    bytes: bytes.length,
    sha256,
  }
}

function portableRole(
  { uid, name, description, rights, models: different }: Role,
  models: readonly ModelRecord[],
): PortableApp['roles'][number] {
  return {
    uid,
    name,
    description,
    rights,
    models: models.flatMap(({ publicId, uid: model, fields }) => {
      const own = different[publicId]
      if (!own) return []
      const readOnly = fields.flatMap((field) => (own.readOnly?.includes(field._id) ? field.uid : []))
      return {
        model,
        ...(own.rights ? { rights: own.rights } : {}),
        ...(own.readOnly ? { readOnly } : {}),
      }
    }),
  }
}
