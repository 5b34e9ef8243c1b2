import type { SubmissionState } from '#shared/forms/fields.ts'

export type InboxTab = SubmissionState | 'all' | 'trash'

/**
 * The tabs of an inbox: one for each state, all except spam, and the trash. The list of states is not imported, because
 * its module would be part of the first load of the admin.
 */
export const inboxTabs = Object.keys({
  new: true,
  inProgress: true,
  done: true,
  spam: true,
  all: true,
  trash: true,
} satisfies Record<InboxTab, true>) as InboxTab[]

/** The state of an inbox in the URL. `tab` omitted: new submissions. `message`: `_id` of the open submission. */
export interface InboxSearch {
  tab?: InboxTab
  message?: string
}

/** Reads the state of an inbox from a URL. Invalid values are omitted. */
export function readInboxSearch({ tab, message }: Record<string, unknown>): InboxSearch {
  const known = inboxTabs.find((one) => one === tab)
  const id = typeof message === 'string' && /^[0-9a-f]{24}$/.test(message) ? message : undefined
  return { ...(known && known !== 'new' ? { tab: known } : {}), ...(id ? { message: id } : {}) }
}
