/** The pages come together: each file more makes what a first visit downloads larger. */
export { NewSpacePage } from './new-space-page.tsx'
export { SpaceSettingsPage } from './space-settings-page.tsx'
