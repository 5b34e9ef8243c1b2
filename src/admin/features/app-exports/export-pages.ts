/* Both pages are one file to be loaded: each file more makes what loads first larger. */
export { AppExportPage } from './app-export-page.tsx'
export { SpaceExportPage } from './space-export-page.tsx'
