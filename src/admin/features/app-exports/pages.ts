/** The pages share one chunk, because every first visit downloads a list of the chunks of all pages. */
export { AppExportPage } from './app-export-page.tsx'
export { SpaceExportPage } from './space-export-page.tsx'
