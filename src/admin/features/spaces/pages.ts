/** The pages share one chunk: more chunks would increase the download of a first visit. */
export { NewSpacePage } from './new-space-page.tsx'
export { SpaceSettingsPage } from './space-settings-page.tsx'
