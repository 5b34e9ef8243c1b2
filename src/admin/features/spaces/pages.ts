/** The pages share one chunk, because every first visit downloads a list of the chunks of all pages. */
export { NewSpacePage } from './new-space-page.tsx'
export { SpaceSettingsPage } from './space-settings-page.tsx'
