/** The pages share one chunk, because every first visit downloads a list of the chunks of all pages. */
export { DuplicateModelPage } from './duplicate-model-page.tsx'
export { ImportModelPage } from './import-model-page.tsx'
export { ModelCodePage } from './model-code-page.tsx'
