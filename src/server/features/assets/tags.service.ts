import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { recordEvent } from '#server/jobs/events.ts'
import { newId } from '#server/lib/ids.ts'
import { AppError } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import { searchKey } from './search-text.ts'
import * as tags from './tags.repository.ts'

/**
 * Control, invisible, private-use and unassigned characters, bidirectional controls, `<` and `>`, and the comma, which
 * separates tags in URLs.
 */
const forbidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb,<>]/u
/** Letters, numbers, punctuation and symbols. A name must contain at least one. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Returns the name as stored, and its key for comparison. Throws 400 `InvalidTagName`. */
function nameOf(given: string): { name: string; key: string } {
  const name = possibleName(given)
  if (!name)
    throw new AppError('InvalidTagName', { issues: [{ path: 'data.name', code: 'InvalidCharacter' }] })
  return name
}

function possibleName(given: string): { name: string; key: string } | null {
  const name = normalizeUnicode(given, 'NFC').trim()
  if (forbidden.test(name) || !visible.test(name)) return null
  return { name, key: searchKey(name).replace(/\s+/gu, ' ') }
}

/** Returns the space's tags, ordered by name, with the number of assets outside the trash for each tag. */
export const listTags = (ctx: SpaceContext) => tags.listTags(ctx.db, ctx.scope)

/** Creates a tag. Throws 400 `InvalidTagName`, 409 `TagNameIsAlreadyInUse`. */
export async function createTag(ctx: SpaceContext, given: string): Promise<tags.TagRecord> {
  const id = newId()
  const { name, key } = nameOf(given)
  await tags.insertTag(ctx.db, ctx.scope, { id, name, key, createdBy: accountOf(ctx.actor) })
  await record(ctx, 'tag.created', id)
  return { id, name, assetCount: 0 }
}

/** Returns the `_id`s of the tags with these names, and creates missing tags. Omits names that are not allowed. */
export async function tagsNamed(ctx: SpaceContext, names: readonly string[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const given of names) {
    const named = possibleName(given)
    if (!named) continue
    const id = newId()
    const made = await tags.insertTagOnce(ctx.db, ctx.scope, {
      id,
      ...named,
      createdBy: accountOf(ctx.actor),
    })
    if (made === id) await record(ctx, 'tag.created', id)
    ids.add(made)
  }
  return [...ids]
}

/** Renames a tag. Throws 400 `InvalidTagName`, 404, 409 `TagNameIsAlreadyInUse`. */
export async function updateTag(ctx: SpaceContext, id: string, given: string): Promise<tags.TagRecord> {
  const name = nameOf(given)
  if (!idPattern.test(id) || !(await tags.updateTag(ctx.db, ctx.scope, id, name)))
    throw new AppError('NotFound')
  await record(ctx, 'tag.updated', id)
  const [tag] = await tags.listTags(ctx.db, ctx.scope, id)
  if (!tag) throw new AppError('NotFound')
  return tag
}

/** Deletes a tag. Throws 404. */
export async function deleteTag(ctx: SpaceContext, id: string): Promise<void> {
  if (!idPattern.test(id) || !(await tags.deleteTag(ctx.db, ctx.scope, id))) throw new AppError('NotFound')
  await record(ctx, 'tag.deleted', id)
}

const record = (ctx: SpaceContext, type: 'tag.created' | 'tag.updated' | 'tag.deleted', tagId: string) =>
  recordEvent(ctx.db, ctx.scope, type, { tagId }, { actor: ctx.actor })
