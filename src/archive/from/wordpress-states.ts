import type { Publication, Sign } from './publication/publication-of.ts'
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

/** What a post says about its visibility. */
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
    // Imori has no password protection.
    ...(textIn(node, 'wp:post_password') === '' ? [] : [hidden('wp:post_password')]),
    // Only types without public pages, such as messages to a contact form, have such an address once published.
    ...(status === 'publish' && /[?&]post_type=/.test(link) ? [hidden('link: ?post_type=')] : []),
  ]
}

const hidden = (said: string): Publication => ({ state: 'hidden', said })
