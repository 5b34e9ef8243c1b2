import type { Publication, Sign } from '../publication/publication-of.ts'
import { isZeroDate, momentOf } from '../values.ts'
import { textIn, type XmlNode } from './wxr-reader.ts'

/** Returns a time if it is valid. Undated drafts contain zeros, and a `pubDate` in the year -1. */
function given(node: XmlNode, name: string, zone?: string): string | null {
  const text = textIn(node, name)
  return text.startsWith('0000') || text.includes('-0001') ? null : momentOf(text, zone)
}

interface PostTimes {
  createdAt: string | null
  changedAt: string | null
  /** Whether the export contains zeros instead of the date of the post. */
  isUndated: boolean
}

/**
 * Returns the times when a post was created and last changed; null if the export contains no time. Drafts have local
 * times only.
 */
export function timesOf(node: XmlNode, zone: string): PostTimes {
  const changedAt = given(node, 'wp:post_modified_gmt') ?? given(node, 'wp:post_modified', zone)
  const own = given(node, 'wp:post_date_gmt') ?? given(node, 'wp:post_date', zone) ?? given(node, 'pubDate')
  const isUndated =
    own === null && ['wp:post_date_gmt', 'wp:post_date'].some((name) => isZeroDate(textIn(node, name)))
  return { createdAt: own ?? changedAt, changedAt, isUndated }
}

/** Returns the statements of a post about its visibility. */
export function signsOf(node: XmlNode, zone: string): (Sign | Publication)[] {
  const status = textIn(node, 'wp:status')
  const link = textIn(node, 'link')
  return [
    { kind: 'status', key: 'wp:status', value: status },
    {
      kind: 'publishAt',
      key: 'wp:post_date',
      value: given(node, 'wp:post_date_gmt') ?? given(node, 'wp:post_date', zone),
    },
    // Imori has no password protection, so the post is hidden.
    ...(textIn(node, 'wp:post_password') === '' ? [] : [hidden('wp:post_password')]),
    // If a published post has this form of URL, its type has no public pages, such as messages to a contact form.
    ...(status === 'publish' && /[?&]post_type=/.test(link) ? [hidden('link: ?post_type=')] : []),
    ...findRestrictions(node),
  ]
}

/** Custom fields of plugins that restrict a post to members: Members, Jetpack, WP-Members, Restrict Content. */
const restricting: ReadonlySet<string> = new Set([
  ...['_members_access_role', '_jetpack_newsletter_access', '_wpmem_block'],
  ...['rcp_subscription_level', 'rcp_user_level', 'rcp_access_level'],
])
const isForAll = /^(?:|0|none|all|everybody)$/i
/** Blocks and shortcodes that enclose parts of a text for members only. */
const partsForMembers =
  /<!-- wp:(?:premium-content\/|jetpack\/paywall)|\[(?:members?[_-]?only|private|membership|restrict|(?:rcp|pms|wcm)[_-]restrict|rcp_is_paid|mepr-(?:show|active|rule)|arm_restrict_content|ihc-hide-content|swpm_protected|ppwp|passster)\b/i

/** Finds restrictions by plugins that hide the post, or a part of its text, from visitors. */
function findRestrictions(node: XmlNode): Publication[] {
  const fields = node.children.flatMap((child) => {
    const key = child.name === 'wp:postmeta' ? textIn(child, 'wp:meta_key') : ''
    return restricting.has(key) && !isForAll.test(textIn(child, 'wp:meta_value').trim()) ? [key] : []
  })
  const [part] = partsForMembers.exec(textIn(node, 'content:encoded')) ?? []
  return [...fields, ...(part ? [part.replace('<!-- ', '')] : [])].map(hidden)
}

const hidden = (statement: string): Publication => ({ state: 'hidden', statement })
