/* Both pages are one file to be loaded: each file more makes what loads first larger. */
export { NewSpacePage } from './new-space-page.tsx'
export { SpaceSettingsPage } from './space-settings-page.tsx'
