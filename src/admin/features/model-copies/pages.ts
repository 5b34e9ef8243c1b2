/**
 * The pages share one chunk. Otherwise their dependencies would be split into more chunks, which a first visit
 * downloads too.
 */
export { DuplicateModelPage } from './duplicate-model-page.tsx'
export { ImportModelPage } from './import-model-page.tsx'
export { ModelCodePage } from './model-code-page.tsx'
