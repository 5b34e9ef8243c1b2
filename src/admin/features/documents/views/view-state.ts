import type { View, ViewSettings } from '#shared/contract/views.ts'
import { type ListSearch, withoutView } from '../list/list-search.ts'

/** Returns the settings in a URL, without view and month. */
export function settingsOf({ view: _, edited: __, month: ___, ...settings }: ListSearch): ViewSettings {
  return settings
}

/**
 * Returns the view of a URL. undefined: the list without a view. A URL with neither view nor settings shows the first
 * shared view.
 */
export function viewOf(search: ListSearch, views: readonly View[]): View | undefined {
  if (search.view) return views.find(({ uid }) => uid === search.view)
  const asksNothing = Object.keys(settingsOf(search)).length === 0
  return asksNothing ? views.find(({ personal }) => !personal) : undefined
}

export interface ListState {
  view: View | undefined
  /** The settings in effect. */
  settings: ViewSettings
  /** Whether the settings differ from the view's settings or, without a view, from the defaults. */
  edited: boolean
}

/** Returns the state that a URL describes, given these views. */
export function listState(search: ListSearch, views: readonly View[]): ListState {
  const view = viewOf(search, views)
  const own = settingsOf(search)
  if (!view) return { view, settings: own, edited: Object.keys(own).length > 0 }
  if (!search.edited) return { view, settings: view.settings, edited: false }
  return { view, settings: own, edited: !areSame(own, view.settings) }
}

/** Returns the URL state of a list with this view and these settings. */
export function searchOf(view: View | undefined, settings: ViewSettings, hasViews: boolean): ListSearch {
  if (!view) return hasViews ? { ...settings, view: withoutView } : settings
  return areSame(settings, view.settings) ? { view: view.uid } : { ...settings, view: view.uid, edited: true }
}

/** Returns whether the settings are equal, regardless of property order. */
export function areSame(one: ViewSettings, other: ViewSettings): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, sorted(part)]),
  )
}
