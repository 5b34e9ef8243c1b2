/** The pages come together: each file more makes what a first visit downloads larger. */
export { AppExportPage } from './app-export-page.tsx'
export { SpaceExportPage } from './space-export-page.tsx'
