import { isZeroDate, momentOf } from './values.ts'
import { textIn, type XmlNode } from './wxr-reader.ts'

/** A valid time: undated drafts have zeros, and a `pubDate` in the year -1. */
function given(node: XmlNode, name: string, zone?: string): string | null {
  const text = textIn(node, name)
  return text.startsWith('0000') || text.includes('-0001') ? null : momentOf(text, zone)
}

interface PostTimes {
  createdAt: string | null
  changedAt: string | null
  /** Whether the export has zeros instead of the date of the post. */
  isUndated: boolean
}

/** When a post was created and last changed; null where the export has no time. Drafts have local times only. */
export function timesOf(node: XmlNode, zone: string): PostTimes {
  const changedAt = given(node, 'wp:post_modified_gmt') ?? given(node, 'wp:post_modified', zone)
  const own = given(node, 'wp:post_date_gmt') ?? given(node, 'wp:post_date', zone) ?? given(node, 'pubDate')
  const isUndated =
    own === null && ['wp:post_date_gmt', 'wp:post_date'].some((name) => isZeroDate(textIn(node, name)))
  return { createdAt: own ?? changedAt, changedAt, isUndated }
}

/** Whether the post is public now. `restricted` is the reason when it is neither public nor an ordinary draft. */
export function stateOf(node: XmlNode): {
  isPublished: boolean
  restricted?: 'private' | 'password' | 'scheduled'
} {
  const status = textIn(node, 'wp:status')
  if (status === 'private') return { isPublished: false, restricted: 'private' }
  if (status === 'future') return { isPublished: false, restricted: 'scheduled' }
  if (status !== 'publish') return { isPublished: false }
  // Imori has no password protection, so publishing would expose it to everybody.
  if (textIn(node, 'wp:post_password') !== '') return { isPublished: false, restricted: 'password' }
  return { isPublished: true }
}
