import { momentOf } from './values.ts'
import { textIn, type XmlNode } from './wxr-reader.ts'

/** A time that is there: drafts that nobody dated have zeros, and a `pubDate` in the year -1. */
function given(node: XmlNode, name: string, zone?: string): string | null {
  const text = textIn(node, name)
  return text.startsWith('0000') || text.includes('-0001') ? null : momentOf(text, zone)
}

/** When a post was written and changed last; null where the export says neither. Times of drafts are local ones. */
export function timesOf(node: XmlNode, zone: string): { createdAt: string | null; updatedAt: string | null } {
  const updated = given(node, 'wp:post_modified_gmt') ?? given(node, 'wp:post_modified', zone)
  const created =
    given(node, 'wp:post_date_gmt') ?? given(node, 'wp:post_date', zone) ?? given(node, 'pubDate') ?? updated
  return { createdAt: created, updatedAt: updated ?? created }
}

/** Is it shown to everybody now? If not, `restricted` says why, for what is no mere draft. */
export function stateOf(node: XmlNode): {
  isPublished: boolean
  restricted?: 'private' | 'password' | 'scheduled'
} {
  const status = textIn(node, 'wp:status')
  if (status === 'private') return { isPublished: false, restricted: 'private' }
  if (status === 'future') return { isPublished: false, restricted: 'scheduled' }
  if (status !== 'publish') return { isPublished: false }
  // Everybody would read it here, without the password.
  if (textIn(node, 'wp:post_password') !== '') return { isPublished: false, restricted: 'password' }
  return { isPublished: true }
}
