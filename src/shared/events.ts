import { z } from 'zod'
import { idPattern } from './identifiers.ts'

const id = z.string().regex(idPattern)
const documentEvent = z.object({ version: z.int(), publishedVersion: z.int().nullable() })
/** `wasPublished`: whether the document was published until this event. */
const documentEnd = documentEvent.extend({ wasPublished: z.boolean() })
const roleEvent = z.object({ uid: z.string(), target: z.enum(['project', 'app']) })
const invitationEvent = z.object({ invitationId: id })
/** `formId`: the `_id` of the form. */
const formEvent = z.object({ formId: id })
const assetEvent = z.object({ assetId: id, version: z.int() })
/** `size`: length of the file in bytes. Events of older versions of Imori contain no sizes. */
const fileEvent = assetEvent.extend({ size: z.int() })

/**
 * The catalogue of domain events. An event is written to the outbox in the transaction of the change that it describes.
 */
export const eventSchemas = {
  'document.created': documentEvent,
  'document.saved': documentEvent,
  'document.published': documentEvent,
  'document.unpublished': documentEvent,
  'document.deleted': documentEnd,
  'document.restored': documentEvent,
  'document.customOrderChanged': z.object({}),
  /**
   * Documents that an import, a duplicate or a template has added to a model: at most 500, each with its state after
   * the import. They cause no other events, also if they have several revisions. Events of older versions of Imori
   * contain only `count`.
   */
  'documents.imported': z.object({ documents: z.array(documentEvent.extend({ id })) }),
  /** Documents of a model that were deleted permanently: at most 200. The event names no app, which may be deleted. */
  'documents.purged': z.object({ ids: z.array(id) }),
  'model.created': z.object({ uid: z.string() }),
  'model.updated': z.object({ uid: z.string(), version: z.int() }),
  'model.deleted': z.object({ uid: z.string() }),
  'customType.created': z.object({ uid: z.string() }),
  'customType.updated': z.object({ uid: z.string(), version: z.int() }),
  'customType.deleted': z.object({ uid: z.string() }),
  'appView.created': z.object({ uid: id }),
  'appView.updated': z.object({ uid: id }),
  'appView.deleted': z.object({ uid: id }),
  'app.created': z.object({ uid: z.string() }),
  'app.updated': z.object({ uid: z.string() }),
  'app.deleted': z.object({ uid: z.string() }),
  /** An import has created the content of the app, or has added documents to it. */
  'app.imported': z.object({ documents: z.int() }),
  'space.created': z.object({ uid: z.string() }),
  'space.updated': z.object({ uid: z.string() }),
  'space.deleted': z.object({ uid: z.string() }),
  'member.joined': z.object({ memberId: id, role: z.string() }),
  'member.roleChanged': z.object({ memberId: id, role: z.string() }),
  'member.removed': z.object({ memberId: id }),
  'member.joinedApp': z.object({ memberId: id, app: z.string(), role: z.string() }),
  'member.leftApp': z.object({ memberId: id, app: z.string() }),
  'role.created': roleEvent,
  'role.updated': roleEvent,
  'role.deleted': roleEvent,
  'invitation.created': invitationEvent,
  'invitation.renewed': invitationEvent,
  'invitation.revoked': invitationEvent,
  'invitation.accepted': invitationEvent,
  'accessRequest.made': z.object({ memberId: id }),
  'accessRequest.declined': z.object({ memberId: id }),
  'externalStorage.saved': z.object({ endpoint: z.string(), bucket: z.string() }),
  'externalStorage.left': z.object({ endpoint: z.string(), bucket: z.string() }),
  'token.created': z.object({ tokenId: id, kind: z.enum(['cdn', 'api']) }),
  'token.updated': z.object({ tokenId: id, kind: z.enum(['cdn', 'api']) }),
  'token.refreshed': z.object({ tokenId: id, kind: z.enum(['cdn', 'api']) }),
  'token.deleted': z.object({ tokenId: id, kind: z.enum(['cdn', 'api']) }),
  'form.created': formEvent,
  'form.updated': formEvent,
  'form.deleted': formEvent,
  'form.restored': formEvent,
  'asset.created': fileEvent,
  /** An import has created the asset. It causes no `asset.created`. */
  'asset.imported': fileEvent,
  'asset.updated': assetEvent,
  'asset.replaced': fileEvent.extend({ previousSize: z.int() }),
  'asset.deleted': assetEvent,
  'asset.restored': assetEvent,
  /** Assets that were deleted permanently: at most 500, with the total size of their files in bytes. */
  'assets.purged': z.object({ ids: z.array(id), size: z.int() }),
  'tag.created': z.object({ tagId: id }),
  'tag.updated': z.object({ tagId: id }),
  'tag.deleted': z.object({ tagId: id }),
} as const

export type EventType = keyof typeof eventSchemas
export type EventPayload<T extends EventType> = z.input<(typeof eventSchemas)[T]>
