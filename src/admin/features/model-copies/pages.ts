/** The pages come together: what they use of others is split into fewer pieces, which a first visit downloads, too. */
export { DuplicateModelPage } from './duplicate-model-page.tsx'
export { ImportModelPage } from './import-model-page.tsx'
export { ModelCodePage } from './model-code-page.tsx'
