/** The pages share one chunk: more chunks would increase the download of a first visit. */
export { AppExportPage } from './app-export-page.tsx'
export { SpaceExportPage } from './space-export-page.tsx'
