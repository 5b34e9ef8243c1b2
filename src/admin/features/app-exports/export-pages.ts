/* Both pages are one file to be loaded. */
export { AppExportPage } from './app-export-page.tsx'
export { SpaceExportPage } from './space-export-page.tsx'
